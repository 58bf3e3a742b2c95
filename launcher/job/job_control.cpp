// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job_control.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>

#include "base/signals.h"
#include "launcher/base/error.h"
#include "launcher/job/job.h"

namespace adarun::launcher {
namespace {

// Time in which further nodes that cannot be reached, or cannot be staged to, are collected and named as
// well.
constexpr std::chrono::milliseconds settle{1'000};
// Beyond the grace, for KILL, reaping and the transfer of the result.
constexpr std::chrono::milliseconds farewell{3'000};

// Short, because a user who types Ctrl-Z waits for the prompt.
constexpr std::chrono::milliseconds confirmation_timeout{2'000};

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTSTP);
  return set;
}

}  // namespace

void Shutdown::wait_for_others(Clock::time_point now) {
  deadline_ = now + settle;
}

void Shutdown::stop(StopMode mode, Clock::time_point now) {
  const Clock::time_point timeout = now + (mode == StopMode::at_once ? farewell : grace_ + farewell);
  deadline_ = deadline_ ? std::min(*deadline_, timeout) : timeout;
  nodes_.broadcast(protocol::Stop{mode == StopMode::at_once});
}

void Shutdown::put_off(Clock::duration stood) {
  if (deadline_) *deadline_ += stood;
}

void Shutdown::name_silent_nodes() const {
  for (std::uint32_t node = 0; node < nodes_.count(); ++node)
    if (nodes_.state(node) == NodeState::greeted)
      observer_.on_notice(plan_.nodes[node].host.name +
                          ": has not said that its processes are gone; its agent ends them within its lease");
}

void Suspension::begin(Clock::time_point now) {
  begun_ = now;
  for (std::uint32_t node = 0; node < nodes_.count(); ++node)
    if (nodes_.state(node) == NodeState::greeted) awaited_.insert(node);
  nodes_.broadcast(protocol::Suspend{true});
}

void Suspension::announce() const {
  if (!begun_) return;
  for (const std::uint32_t node : awaited_)
    observer_.on_notice(plan_.nodes[node].host.name + ": has not confirmed that its ranks are suspended");
  observer_.on_notice(
      std::string(awaited_.empty() ? "all ranks" : "all other ranks") +
      " are suspended until adarun continues (fg, or kill -CONT); no lease runs out meanwhile");
}

std::optional<Suspension::Clock::duration> Suspension::end(Clock::time_point now) {
  if (!begun_) return std::nullopt;
  const Clock::duration stood = now - *begun_;
  awaited_.clear();
  begun_.reset();
  nodes_.broadcast(protocol::Suspend{false});
  return stood;
}

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
    deadline_ = now + confirmation_timeout;
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
