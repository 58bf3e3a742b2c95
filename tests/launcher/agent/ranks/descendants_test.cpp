// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/descendants.h"

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/process.h"

namespace adarun::launcher::agent {
namespace {

TEST(Descendants, AreFoundInAnyOrderAndDepth) {
  const std::vector<Process> all{{9, 8, 9}, {8, 7, 8}, {1, 0, 1}, {7, 5, 7}, {5, 1, 5}, {6, 1, 6}, {2, 6, 6}};
  EXPECT_EQ(descendants(5, all), (std::vector<Process>{{7, 5, 7}, {8, 7, 8}, {9, 8, 9}}));
  EXPECT_TRUE(descendants(2, all).empty());
}

TEST(Processes, IncludeThisOne) {
  const Process self{::getpid(), ::getppid(), ::getpgrp(), base::start_ticks(::getpid())};
  const std::vector<Process> all = running_processes();
  EXPECT_NE(std::find(all.begin(), all.end(), self), all.end());
}

TEST(Processes, AreSignalledOnlyIfTheirPidIsStillTheirs) {
  const pid_t child = ::fork();
  if (child == 0)
    while (true) ::pause();
  Process listed{child, ::getpid(), ::getpgrp(), base::start_ticks(child)};
  ASSERT_NE(listed.start, 0U);
  Process former = listed;  // That had this pid before.
  --former.start;
  signal_process(SIGKILL, former);
  EXPECT_EQ(::kill(child, SIGSTOP), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  EXPECT_TRUE(WIFSTOPPED(status)) << "a stranger was killed";
  signal_process(SIGKILL, listed);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  signal_process(SIGKILL, listed);  // Of nobody.
}

constexpr uid_t nobody = 65534;
constexpr int no_such_mount = 2;

// A child that stands for another user's: one that may not be inspected.
pid_t hide_a_child() {
  std::array<int, 2> ready{};
  if (::pipe(ready.data()) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_DUMPABLE, 0);
    ::close(ready[1]);
    while (true) ::pause();
  }
  ::close(ready[1]);
  char none = 0;
  return ::read(ready[0], &none, 1) == 0 ? child : -1;
}

TEST(Processes, IncludeAChildThatProcHides) {
  const pid_t root = ::fork();
  if (root == 0) {
    const bool hides = ::unshare(CLONE_NEWNS) == 0 &&
                       ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       ::mount("proc", "/proc", "proc", 0, "hidepid=2") == 0 &&
                       ::setresgid(nobody, nobody, nobody) == 0 && ::setgroups(0, nullptr) == 0 &&
                       ::setresuid(nobody, nobody, nobody) == 0 && ::prctl(PR_SET_DUMPABLE, 1) == 0;
    if (!hides) ::_exit(no_such_mount);
    const pid_t child = hide_a_child();
    if (child <= 0) ::_exit(3);
    const std::vector<Process> all = running_processes();
    const bool found = std::find(all.begin(), all.end(), Process{child, ::getpid(), 0}) != all.end();
    signal_tree(SIGTERM, {});
    if (!found) ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::_exit(found ? 0 : 1);
  }
  int status = 0;
  ::waitpid(root, &status, 0);
  if (WEXITSTATUS(status) == no_such_mount)
    GTEST_SKIP() << "needs root, to mount a /proc that hides processes";
  EXPECT_EQ(status, 0);
}

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

TEST(Execution, IsSeenOfAProcessUntilItIsReaped) {
  EXPECT_TRUE(has_executed(::getpid()));
  const WaitingProcess child;
  EXPECT_FALSE(has_executed(child.pid()));
  char name[] = "true";             // NOLINT: as execvp wants it
  char* words[] = {name, nullptr};  // NOLINT
  const pid_t program = fork();
  if (program == 0) _exit(execvp(name, words) == 0 ? 0 : 127);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(program), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(has_executed(program));
  waitpid(program, nullptr, 0);
  EXPECT_FALSE(has_executed(program));
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
