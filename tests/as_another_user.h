// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace adarun::test {

/// The uid of the child below; it needs no account.
inline constexpr uid_t another_uid = 65'533;

/// The result of `work`, as the exit status of a child that runs as another user; -1 if it has none. For
/// tests that run as root.
inline int as_another_user(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(another_uid) != 0 || ::setuid(another_uid) != 0) ::_exit(99);
    ::_exit(work());
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace adarun::test
