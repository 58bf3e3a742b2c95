// SPDX-License-Identifier: Apache-2.0
#include "base/system_text.h"

#include <gtest/gtest.h>

#include <csignal>

namespace adarun::base {
namespace {

TEST(SignalName, IsThatOfTheShell) {
  EXPECT_EQ(signal_name(SIGHUP), "HUP");
  EXPECT_EQ(signal_name(1000), "1000");
}

}  // namespace
}  // namespace adarun::base
