// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/connect_times.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

constexpr std::int64_t second = 1'000'000'000;

TEST(ConnectTimes, TellALoginShellThatIsSlow) {
  ConnectTimes times;
  times.take({"connect", 100 * second});
  times.take({"log in", 100 * second + second / 20});
  times.take({"login shell of ada", 100 * second + second / 10});
  EXPECT_EQ(times.shell_time(), std::chrono::seconds(0)) << "it is not over";
  EXPECT_EQ(times.text(), "");
  times.take({"start the agent", 103 * second + second / 2});
  times.end(110 * second);
  EXPECT_EQ(times.shell_time(), std::chrono::milliseconds(3'400));
  EXPECT_EQ(times.text(), "log in 100 ms, the login shell of ada 3.4 s: its start-up files?");
}

TEST(ConnectTimes, EndWithTheAgentsAnswer) {
  ConnectTimes times;
  times.take({"login shell of ada", second});
  times.end(3 * second);
  times.end(9 * second);
  EXPECT_EQ(times.shell_time(), ConnectTimes::slow);
  EXPECT_TRUE(times.is_slow());
}

TEST(ConnectTimes, AreNothingWithoutALoginShellOrWithAFastOne) {
  ConnectTimes none;
  none.take({"start the agent", second});
  none.end(100 * second);
  EXPECT_EQ(none.text(), "");
  ConnectTimes fast;
  fast.take({"login shell of ada", second});
  fast.take({"start the agent", 3 * second - 1});
  EXPECT_FALSE(fast.is_slow());
}

}  // namespace
}  // namespace adarun::launcher
