// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "base/inherited_signals.h"
#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

// A blocked signal reaches the descriptor even if it is ignored, so ignored ones are left out.
sigset_t job_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, stop_signal()})
    sigaddset(&set, signal);
  for (const int signal : base::ignored_terminal_signals()) sigdelset(&set, signal);
  return set;
}

}  // namespace

SignalGuard::SignalGuard() {
  const sigset_t set = job_signals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // While blocked, it still reaches the descriptor.
  fd_ = base::FileDescriptor(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd_) throw Error("cannot make a signal descriptor");
}

SignalGuard::~SignalGuard() {
  const sigset_t set = job_signals();
  while (take() != 0) {
  }
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

int SignalGuard::take() const {
  signalfd_siginfo info{};
  return read(fd_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace adarun::launcher
