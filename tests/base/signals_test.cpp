// SPDX-License-Identifier: Apache-2.0
#include "base/signals.h"

#include <gtest/gtest.h>

#include <utility>

namespace adarun::base {
namespace {

// How this process handles some signals; restored at the end.
class InheritedSignals : public testing::Test {
 protected:
  InheritedSignals() {
    for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
      before_.emplace_back(number, signal(number, SIG_DFL));
  }
  ~InheritedSignals() override {
    for (const auto& [number, handler] : before_) signal(number, handler);
  }

 private:
  std::vector<std::pair<int, void (*)(int)>> before_;
};

TEST_F(InheritedSignals, AreIgnoredWhereThisProcessIgnoresThem) {
  EXPECT_FALSE(is_ignored(SIGHUP));
  signal(SIGHUP, SIG_IGN);
  EXPECT_TRUE(is_ignored(SIGHUP));
  signal(SIGHUP, [](int) {});
  EXPECT_FALSE(is_ignored(SIGHUP)) << "it is handled";
}

TEST_F(InheritedSignals, OfATerminalAreHangupInterruptAndQuit) {
  EXPECT_EQ(ignored_terminal_signals(), std::vector<int>());
  for (const int number : {SIGHUP, SIGQUIT, SIGTERM}) signal(number, SIG_IGN);
  EXPECT_EQ(ignored_terminal_signals(), (std::vector<int>{SIGHUP, SIGQUIT}));
}

}  // namespace
}  // namespace adarun::base
