// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/job_index.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "base/unix_socket.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;

constexpr uid_t nobody = 65534;
constexpr int no_such_mount = 2;

// The answer that another user gets who sees no processes but his own; no_such_mount if such a /proc cannot
// be mounted.
int asked_by_another_user(const std::function<bool()>& question) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool hidden = ::unshare(CLONE_NEWNS) == 0 &&
                        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                        ::mount("proc", "/proc", "proc", 0, "hidepid=2") == 0 &&
                        ::setresgid(nobody, nobody, nobody) == 0 && ::setgroups(0, nullptr) == 0 &&
                        ::setresuid(nobody, nobody, nobody) == 0 && ::prctl(PR_SET_DUMPABLE, 1) == 0;
    ::_exit(hidden ? static_cast<int>(question()) : no_such_mount);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class HiddenSupervisor : public testing::Test {
 protected:
  HiddenSupervisor() {
    fs::permissions(folder_, fs::perms::all);
    supervisor_ = supervisor_here(folder_, false);
  }

  void SetUp() override {
    if (asked_by_another_user([] { return fs::exists("/proc/1"); }) != 0)
      GTEST_SKIP() << "needs root, to mount a /proc that hides processes";
  }

  static bool is_gone_for_another_user(const SupervisorProcess& supervisor) {
    return asked_by_another_user([&] { return is_gone(supervisor); }) == 1;
  }

  test::ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
  SupervisorProcess supervisor_;
};

TEST_F(HiddenSupervisor, IsThereWhileItListens) {
  const base::FileDescriptor listening = base::listen_at(supervisor_.socket());
  fs::permissions(supervisor_.socket(), fs::perms::all);
  EXPECT_FALSE(is_gone_for_another_user(supervisor_));
}

TEST_F(HiddenSupervisor, IsNotSurelyGoneWhereItsSocketIsNotForUs) {
  const base::FileDescriptor listening = base::listen_at(supervisor_.socket());
  EXPECT_FALSE(is_gone_for_another_user(supervisor_));
  SupervisorProcess without_folder = supervisor_;
  without_folder.folder.clear();
  EXPECT_FALSE(is_gone_for_another_user(without_folder));
}

TEST_F(HiddenSupervisor, IsGoneWhereNobodyListensAndAnotherProcessHasItsNumber) {
  EXPECT_TRUE(is_gone_for_another_user(supervisor_)) << "no socket";
  base::listen_at(supervisor_.socket()).reset();
  fs::permissions(supervisor_.socket(), fs::perms::all);
  EXPECT_TRUE(is_gone_for_another_user(supervisor_)) << "a socket that was left";
}

TEST(SupervisorProcess, IsGoneWhenItHasEnded) {
  const pid_t child = ::fork();
  if (child == 0) ::pause();
  SupervisorProcess supervisor = supervisor_here("", false);
  supervisor.pid = child;
  --supervisor.ticks;  // The child may have the same ticks.
  EXPECT_TRUE(is_gone(supervisor)) << "one that started at another time";
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(is_gone(supervisor));
  EXPECT_FALSE(is_gone(supervisor_here("", false)));
}

}  // namespace
}  // namespace adarun::launcher
