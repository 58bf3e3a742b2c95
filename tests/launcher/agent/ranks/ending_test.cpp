// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/ending.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace adarun::launcher::agent {
namespace {

/// A child that waits for signals.
class Child {
 public:
  Child() : pid_(fork()) {
    while (pid_ == 0) pause();
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(Ending, IsNoProcessThatWaits) {
  const Child child;
  EXPECT_FALSE(is_ending(child.pid()));
}

TEST(Ending, IsOneThatWasKilledAndIsNotReapedYet) {
  const Child child;
  kill(child.pid(), SIGKILL);
  EXPECT_TRUE(is_ending(child.pid()));
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(is_ending(child.pid()));
}

TEST(Ending, IsNotToldOfAProcessThatIsNotThere) {
  pid_t pid = 0;
  {
    const Child child;
    pid = child.pid();
  }
  EXPECT_FALSE(is_ending(pid));
}

}  // namespace
}  // namespace adarun::launcher::agent
