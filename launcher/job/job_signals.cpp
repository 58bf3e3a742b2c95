// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job_signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "base/signals.h"
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

SignalWatch::SignalWatch(const SignalGuard& signals, Actions actions, std::chrono::milliseconds timeout)
    : signals_(signals),
      actions_(std::move(actions)),
      timeout_(timeout),
      end_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!end_) throw Error("cannot make an event descriptor");
  thread_ = base::start_quiet_thread([this] { run(); });
}

SignalWatch::~SignalWatch() {
  eventfd_write(end_.get(), 1);
  thread_.join();
  for (const int signal : held_)
    ::kill(::getpid(), signal);  // It is blocked: pending again, for what follows.
}

int SignalWatch::take() {
  ++turns_;
  const std::lock_guard lock(mutex_);
  if (held_.empty()) return signals_.take();
  const int signal = held_.front();
  held_.pop_front();
  return signal;
}

bool SignalWatch::holds_any() const {
  const std::lock_guard lock(mutex_);
  return !held_.empty();
}

// A signal that is pending is taken by the job's thread within its next turn, unless that thread is blocked.
void SignalWatch::run() {
  while (true) {
    std::array<pollfd, 2> polled{{{end_.get(), POLLIN, 0}, {signals_.fd(), POLLIN, 0}}};
    poll(polled.data(), polled.size(), -1);
    const std::uint64_t turns = turns_;
    if (polled[0].revents == 0) poll(polled.data(), 1, static_cast<int>(timeout_.count()));
    if (polled[0].revents != 0) return;
    if (turns_ != turns) continue;
    if (const int signal = hold_pending())
      (std::exchange(has_stopped_, true) ? actions_.give_up : actions_.stop)(signal);
  }
}

// Returns one that ends the job, or 0. PIPE does not count as a second one: the user has not sent it.
int SignalWatch::hold_pending() {
  const std::lock_guard lock(mutex_);
  int ends = 0;
  while (const int signal = signals_.take()) {
    held_.push_back(signal);
    if (ends_job(signal) && !(signal == SIGPIPE && has_stopped_)) ends = signal;
  }
  return ends;
}

}  // namespace adarun::launcher
