// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/latest.h"

#include <gtest/gtest.h>

#include "base/random_digits.h"
#include "tests/trainer/refusal.h"

namespace adarun::trainer {
namespace {

TEST(Latest, IsRefusedWhereItSaysAnythingElse) {
  EXPECT_EQ(parse_latest("latest", "run r-1\nstep 40\nstep 30\n"), (Latest{"r-1", {40, 30}}));
  EXPECT_EQ(parse_latest("latest", "run 7\nstep 40\n"), (Latest{"7", {40}}));
  const std::string with_writer = "run 7\nwriter a-1\nstep 40\n";
  EXPECT_EQ(parse_latest("latest", with_writer), (Latest{"7", {40}, "a-1"}));
  EXPECT_EQ(text_of({"7", {40}, "a-1"}), with_writer);
  for (const char* steps :
       {"", "step", "step x\n", "step -1\n", "step 40", "step 040\n", "step 1\nstep 2\nstep 3\n",
        "step 99999999999999999999\n", "steps 40\n", "writer\nstep 40\n", "writer a_b\nstep 40\n",
        "step 40\nwriter a\n", "step 40\n\n", "step 40 30\n"}) {
    EXPECT_THROW(parse_latest("latest", "run r-1\n" + std::string(steps)), Error) << steps;
  }
  for (const char* run : {"", "run\n", "run \n", "run a b\n", "run a_b\n", "run \x1b[2J\n", "ran a\n"})
    EXPECT_THROW(parse_latest("latest", run + std::string("step 40\n")), Error) << run;
  EXPECT_THROW(parse_latest("latest", "run " + std::string(65, 'a') + "\nstep 40\n"), Error);
  EXPECT_NO_THROW(parse_latest("latest", "run " + base::random_digits() + "\nstep 40\n"));
  EXPECT_NE(testing_data::refusal([] {
              parse_latest("latest", "40\n");
            }).find("latest: of an adarun whose checksum"),
            std::string::npos);
}

}  // namespace
}  // namespace adarun::trainer
