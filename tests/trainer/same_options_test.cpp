// SPDX-License-Identifier: Apache-2.0
#include "trainer/same_options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

/// What each rank throws; "accepted" if it does not.
std::vector<std::string> found_with(const std::vector<std::string>& options) {
  std::vector<std::string> found(options.size(), "accepted");
  adasum::run_ranks(static_cast<int>(options.size()), [&](adasum::Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    try {
      check_same_options(options[rank], communicator);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Exit::refused);
      found[rank] = error.what();
    }
  });
  return found;
}

TEST(CheckSameOptions, AreRefusedByAllRanksWhereOneHasOthers) {
  const std::string first = "\"lr\": 0.1\n\"epochs\": 2\n";
  EXPECT_EQ(
      found_with({first, first, "\"lr\": 0.1\n\"epochs\": 3\n"}),
      std::vector<std::string>(3,
                               "options: rank 2 has \"epochs\": 3, rank 0 \"epochs\": 2: wanted the same on "
                               "every rank (--config reads a file on each node)"));
  EXPECT_EQ(found_with({first, "\"lr\": 0.1\n"})[0],
            "options: rank 1 has nothing more, rank 0 \"epochs\": 2: wanted the same on every rank (--config "
            "reads a file on each node)");
}

TEST(CheckSameSetup, IsRefusedWhereItIsNotThatOfTheSteps) {
  EXPECT_NO_THROW(check_same_setup("a\nb\n", "a\nb\n"));
  try {
    check_same_setup("a\nb\n", "a\nc\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "cannot go on with the steps of the others: this rank has b, they c: wanted the "
                 "options and data that the training began with");
  }
}

TEST(CheckSameOptions, AcceptsEqualOnes) {
  EXPECT_EQ(found_with({"\"lr\": 0.1\n", "\"lr\": 0.1\n"}), std::vector<std::string>(2, "accepted"));
}

}  // namespace
}  // namespace adarun::trainer
