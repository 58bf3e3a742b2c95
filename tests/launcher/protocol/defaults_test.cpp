// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/defaults.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

TEST(SilenceOfCut, IsHalfTheLeaseUpToItsBound) {
  EXPECT_EQ(silence_of_cut(1s), 500ms);
  EXPECT_EQ(silence_of_cut(default_lease), 5s);
  EXPECT_EQ(silence_of_cut(20s), 10s);
  EXPECT_EQ(silence_of_cut(10min), 10s);
}

}  // namespace
}  // namespace adarun::launcher
