// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/ending.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace adarun::launcher::agent {
namespace {

/// A child that waits for signals.
class WaitingProcess {
 public:
  WaitingProcess() : pid_(fork()) {
    while (pid_ == 0) pause();
  }
  ~WaitingProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  WaitingProcess(const WaitingProcess&) = delete;
  WaitingProcess& operator=(const WaitingProcess&) = delete;
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(Ending, IsNoProcessThatWaits) {
  const WaitingProcess child;
  EXPECT_FALSE(is_ending(child.pid()));
}

TEST(Ending, IsOneThatWasKilledAndIsNotReapedYet) {
  const WaitingProcess child;
  kill(child.pid(), SIGKILL);
  EXPECT_TRUE(is_ending(child.pid()));
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(is_ending(child.pid()));
}

TEST(Ending, IsNotToldOfAProcessThatIsNotThere) {
  pid_t pid = 0;
  {
    const WaitingProcess child;
    pid = child.pid();
  }
  EXPECT_FALSE(is_ending(pid));
}

}  // namespace
}  // namespace adarun::launcher::agent
