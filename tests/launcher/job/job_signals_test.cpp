// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job_signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <future>
#include <optional>
#include <thread>

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

constexpr auto deadline = 20s;

/// A watch whose actions can be waited for.
struct Watched {
  explicit Watched(std::chrono::milliseconds timeout) {
    watch.emplace(signals,
                  SignalWatch::Actions{[this](int signal) { stopped.set_value(signal); },
                                       [this](int signal) { gave_up.set_value(signal); }},
                  timeout);
  }

  static void send(int signal) { kill(getpid(), signal); }

  /// The signal that an action was called for; 0: it was not.
  static int await(std::promise<int>& action, std::chrono::milliseconds timeout = deadline) {
    std::future<int> called = action.get_future();
    return called.wait_for(timeout) == std::future_status::ready ? called.get() : 0;
  }

  /// Until the watch has kept a signal.
  void await_held() const {
    const auto end = std::chrono::steady_clock::now() + deadline;
    while (!watch->holds_any() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_TRUE(watch->holds_any());
  }

  SignalGuard signals;
  std::promise<int> stopped;
  std::promise<int> gave_up;
  std::optional<SignalWatch> watch;
};

TEST(SignalWatch, DoesNothingWhileTheThreadOfTheJobTakesSignals) {
  Watched watched(deadline);
  Watched::send(SIGTERM);
  EXPECT_EQ(watched.watch->take(), SIGTERM);
  EXPECT_EQ(watched.watch->take(), 0);
  EXPECT_FALSE(watched.watch->holds_any());
  EXPECT_EQ(Watched::await(watched.stopped, 0ms), 0);
}

TEST(SignalWatch, ActsOnTheFirstTwoThatNobodyTakesAndKeepsThem) {
  Watched watched(1ms);
  Watched::send(SIGTERM);
  EXPECT_EQ(Watched::await(watched.stopped), SIGTERM);
  EXPECT_TRUE(watched.watch->holds_any());
  Watched::send(stop_signal());
  EXPECT_EQ(Watched::await(watched.gave_up), stop_signal());
  EXPECT_EQ(watched.watch->take(), SIGTERM);
  EXPECT_EQ(watched.watch->take(), stop_signal());
  EXPECT_EQ(watched.watch->take(), 0);
}

TEST(SignalWatch, LeavesPendingWhatWasNotTaken) {
  Watched watched(1ms);
  Watched::send(SIGTERM);
  EXPECT_EQ(Watched::await(watched.stopped), SIGTERM);
  watched.watch.reset();
  EXPECT_EQ(watched.signals.take(), SIGTERM);
}

TEST(SignalWatch, DoesNotTakeAReaderWhoIsGoneForASecondSignalOfTheUser) {
  Watched watched(1ms);
  Watched::send(SIGTERM);
  EXPECT_EQ(Watched::await(watched.stopped), SIGTERM);
  EXPECT_EQ(watched.watch->take(), SIGTERM);
  Watched::send(SIGPIPE);
  watched.await_held();
  watched.watch.reset();  // What it does about the signal is done.
  EXPECT_EQ(Watched::await(watched.gave_up, 0ms), 0);
}

TEST(SignalWatch, KeepsThoseForTheRanksWithoutActing) {
  Watched watched(1ms);
  Watched::send(SIGUSR1);
  watched.await_held();
  watched.watch.reset();
  EXPECT_EQ(watched.signals.take(), SIGUSR1);
  EXPECT_EQ(Watched::await(watched.stopped, 0ms), 0);
}

}  // namespace
}  // namespace adarun::launcher
