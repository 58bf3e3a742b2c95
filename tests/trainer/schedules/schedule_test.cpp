// SPDX-License-Identifier: Apache-2.0
#include "trainer/schedules/schedule.h"

#include <gtest/gtest.h>

#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

/// Ten epochs of ten steps up to 0.8, of which the first two warm up from 0.2; linear and cosine end at 0.1.
Schedule ten_epochs(const std::string& name) {
  return {{name, 2, 0.2, 0.1}, 0.8, 10, 10};
}

TEST(Schedule, WarmsUpEvenly) {
  for (const std::string& name : schedule_names()) {
    EXPECT_DOUBLE_EQ(ten_epochs(name).rate(0), 0.2) << name;
    EXPECT_DOUBLE_EQ(ten_epochs(name).rate(5), 0.35) << name;
    EXPECT_DOUBLE_EQ(ten_epochs(name).rate(20), 0.8) << name;
  }
}

TEST(Schedule, ComesDownInItsShape) {
  struct Case {
    const char* name;
    double at_half;     // step 60: half of the 80 steps after the warm-up
    double at_quarter;  // step 80: a quarter is left
  };
  const Case cases[] = {{"constant", 0.8, 0.8},
                        {"linear", 0.45, 0.275},
                        {"poly", 0.2, 0.05},
                        {"cosine", 0.45, 0.1 + 0.7 * 0.146446609406726},
                        {"step", 0.08, 0.008}};
  for (const Case& wanted : cases) {
    EXPECT_NEAR(ten_epochs(wanted.name).rate(60), wanted.at_half, 1e-12) << wanted.name;
    EXPECT_NEAR(ten_epochs(wanted.name).rate(80), wanted.at_quarter, 1e-12) << wanted.name;
  }
  EXPECT_NEAR(ten_epochs("step").rate(99), 0.0008, 1e-12);
}

TEST(Schedule, HasTheTutorialsRates) {
  // 0 -> 0.8 -> 0 in 90 epochs of 312 steps, of which 5 warm up.
  const Schedule schedule({"linear", 5, 0, 0}, 0.8, 312, 90);
  EXPECT_DOUBLE_EQ(schedule.rate(0), 0);
  EXPECT_DOUBLE_EQ(schedule.rate(312), 0.16);
  EXPECT_DOUBLE_EQ(schedule.rate(5 * 312), 0.8);
  EXPECT_NEAR(schedule.rate(90 * 312 - 1), 0.8 / (85 * 312), 1e-12);
}

TEST(Schedule, RefusesANameItDoesNotKnow) {
  EXPECT_THROW(Schedule({"wave"}, 0.1, 10, 1), Error);
}

}  // namespace
}  // namespace adarun::trainer
