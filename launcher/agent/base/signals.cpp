// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/base/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

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

}  // namespace adarun::launcher::agent
