// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job_control.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

#include "base/inherited_signals.h"
#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

// Short, because a user who types Ctrl-Z waits for the prompt.
constexpr std::chrono::milliseconds timeout{2'000};

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTSTP);
  return set;
}

}  // namespace

JobControl::JobControl(Job& job, Transport& transport) : job_(job), transport_(transport) {
  if (base::is_ignored(SIGTSTP)) return;
  const sigset_t set = stop_signals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  fd_ = base::FileDescriptor(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (fd_) return;
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  throw Error("cannot make a signal descriptor");
}

JobControl::~JobControl() {
  if (!fd_) return;
  const sigset_t set = stop_signals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

bool JobControl::asked() const {
  signalfd_siginfo info{};
  return read(fd_.get(), &info, sizeof info) == sizeof info;
}

// Stops this process one turn after the notices: observers write in the background and need that time.
void JobControl::advance(Job::Clock::time_point now) {
  const bool asked_now = asked();
  if (job_.ending() || (!deadline_ && !asked_now)) return;
  const bool ranks_told_now = job_.on_suspend(now);  // They may have begun to run since it was asked.
  if (ranks_told_now || !deadline_) {
    deadline_ = now + timeout;
    told_ = false;
  } else if (told_) {
    stand_still();
  } else if (job_.suspended() || asked_now || now >= *deadline_) {
    job_.say_suspended();
    told_ = true;
  }
}

void JobControl::stand_still() {
  transport_.take_silence(Transport::Silence::excused);
  const sigset_t set = stop_signals();
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);  // The process stops here.
  sigprocmask(SIG_BLOCK, &set, nullptr);
  transport_.take_silence(Transport::Silence::counts);
  deadline_.reset();
  told_ = false;
  job_.on_continue(Job::Clock::now());
}

}  // namespace adarun::launcher
