// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

namespace adarun::base {
namespace {

constexpr pid_t nobody = std::numeric_limits<pid_t>::max();  // Above every pid_max.

TEST(StartTicks, AreTheSameForAProcessEachTime) {
  EXPECT_GT(start_ticks(getpid()), 0U);
  EXPECT_EQ(start_ticks(getpid()), start_ticks(getpid()));
}

TEST(StartTicks, AreZeroWhereThereIsNoProcess) {
  EXPECT_EQ(start_ticks(nobody), 0U);
}

TEST(IsHidden, IsFalseOfOurselvesAndOfNobody) {
  EXPECT_FALSE(is_hidden(getpid()));
  EXPECT_FALSE(is_hidden(nobody));
}

}  // namespace
}  // namespace adarun::base
