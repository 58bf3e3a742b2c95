// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/base/own_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "launcher/agent/base/error.h"

namespace adarun::launcher::agent {

Signals::Signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT}) {
    ::sigaddset(&set, number);
    ::signal(number, SIG_DFL);  // A signal ignored by the parent would stay ignored and never arrive.
  }
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  // Slurm sends these two, as a warning before the end, to all processes of a step: they are for the ranks.
  for (const int number : {SIGPIPE, SIGUSR1, SIGUSR2}) ::signal(number, SIG_IGN);
  fd_ = base::FileDescriptor(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd_) throw Error("signalfd: " + base::system_text(errno));
}

std::optional<int> Signals::next() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
}

void unblock_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void end_with_parent(pid_t parent, int number) {
  ::prctl(PR_SET_PDEATHSIG, number);
  if (::getppid() != parent) ::_exit(127);  // It died before PR_SET_PDEATHSIG took effect.
}

void raise_priority(pid_t watchdog) {
  constexpr int precedence = 10;
  constexpr int least = -20;
  const int usual = ::getpriority(PRIO_PROCESS, static_cast<id_t>(watchdog));
  ::setpriority(PRIO_PROCESS, 0, std::max(least, usual - precedence));
}

void take_priority_of(pid_t watchdog) {
  ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, static_cast<id_t>(watchdog)));
}

}  // namespace adarun::launcher::agent
