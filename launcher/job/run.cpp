// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/run.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>

#include "base/signals.h"
#include "launcher/base/error.h"
#include "launcher/job/failure.h"

namespace adarun::launcher {
namespace {

constexpr std::chrono::milliseconds tick{100};
// Interval for asking an observer without room again.
constexpr std::chrono::milliseconds no_room_tick{5};

// For when the thread of the job is blocked: the lock of a stream may be taken. Left out where the write
// could wait: a file may be on the same file system.
void say(const std::string& text) {
  const std::string line = "adarun: " + text + "\n";
  struct stat facts {};
  pollfd writable{STDERR_FILENO, POLLOUT, 0};
  if (::fstat(STDERR_FILENO, &facts) != 0 || S_ISREG(facts.st_mode)) return;
  if (poll(&writable, 1, 0) != 1 || writable.revents != POLLOUT) return;
  [[maybe_unused]] const ssize_t size = ::write(STDERR_FILENO, line.data(), line.size());
}

SignalWatch::Actions when_blocked(Transport& transport) {
  return {[&transport](int signal) {
            transport.stop_all();
            say(interrupt_failure(signal).message +
                ", but adarun hangs, perhaps in a write to a file system that does not answer: the ranks "
                "are told to end, another signal ends adarun");
          },
          [](int signal) {
            say(interrupt_failure(signal).message + " again: what ranks printed last is not in the logs");
            ::_exit(interrupt_failure(signal).exit_status());
          }};
}

// Without a transport, waits for signals and deadlines only.
void wait(const FromOutside& from_outside, const JobControl& control, const Job& job,
          const Transport* transport) {
  auto timeout = transport != nullptr ? tick : no_room_tick;
  if (const auto deadline = job.deadline()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Job::Clock::now());
    timeout = std::clamp(left, std::chrono::milliseconds(0), timeout);
  }
  std::array<pollfd, 4> polled{{{transport != nullptr ? transport->ready_fd() : -1, POLLIN, 0},
                                {from_outside.signals.fd(), POLLIN, 0},
                                {job.ending() ? -1 : from_outside.input.fd(), POLLIN, 0},
                                {control.fd(), POLLIN, 0}}};
  poll(polled.data(), polled.size(), static_cast<int>(timeout.count()));
}

void take_signals(SignalWatch& watch, Job& job) {
  while (const int signal = watch.take()) {
    if (ends_job(signal)) {
      job.on_interrupt(signal, Job::Clock::now());
    } else {
      job.on_forward(signal);
    }
  }
}

// An exception in `step` ends the job in an orderly way. It may be thrown again while the job ends.
template <typename Step>
void guarded(Job& job, Step step) {
  try {
    step();
  } catch (const std::exception& error) {
    job.on_broken(error.what(), Job::Clock::now());
  }
}

// Limits a turn, so that signals and deadlines are handled even while much output arrives.
constexpr std::chrono::milliseconds longest_turn{20};

// Events received but not handled yet, because the observer has no room or the turn was over.
class Backlog {
 public:
  explicit Backlog(Transport& transport) : transport_(transport) {}

  /// Passes events to the job, for one turn at most and while the observer has room.
  void work_off(Job& job, JobInput& input, const JobObserver& observer) {
    if (events_.empty()) {
      events_ = transport_.take();
      next_ = 0;
    }
    const auto end = Job::Clock::now() + longest_turn;
    while (next_ < events_.size() && Job::Clock::now() < end && takes_events(job, observer)) {
      const TransportEvent& event = events_[next_++];
      input.take(event);
      guarded(job, [&] { job.on_event(event, Job::Clock::now()); });
    }
    if (next_ == events_.size()) events_.clear();
  }

  bool empty() const { return events_.empty(); }

  static bool takes_events(const Job& job, const JobObserver& observer) {
    return job.ending() || observer.has_room();
  }

 private:
  Transport& transport_;
  std::vector<TransportEvent> events_;
  std::size_t next_ = 0;
};

void pass_on(JobInput& input, Transport& transport, JobObserver& observer) {
  for (const Outgoing& out : input.advance()) transport.send(out.nodes, out.message);
  for (const std::string& notice : input.take_notices()) observer.on_notice(notice);
}

// Short, because a user who types Ctrl-Z waits for the prompt.
constexpr std::chrono::milliseconds confirmation_timeout{2'000};

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

JobReport run_job(const Plan& plan, Transport& transport, JobObserver& observer,
                  const FromOutside& from_outside, NodeReplacement::TakePlace take_place) {
  JobInput& input = from_outside.input;
  input.begin(plan);
  Job job(plan, observer, Job::Clock::now(), std::move(take_place));
  Backlog backlog(transport);
  JobControl control(job, transport);
  SignalWatch watch(from_outside.signals, when_blocked(transport));
  while (!job.ended()) {
    const bool takes_events = Backlog::takes_events(job, observer);
    if (!takes_events || backlog.empty())
      wait(from_outside, control, job, takes_events ? &transport : nullptr);
    // They were acted upon while this thread was blocked: what ranks have done since follows from that.
    if (watch.holds_any()) guarded(job, [&] { take_signals(watch, job); });
    if (takes_events) {
      backlog.work_off(job, input, observer);
    } else {
      job.on_held_up(Job::Clock::now());
    }
    if (!job.ended()) guarded(job, [&] { take_signals(watch, job); });
    guarded(job, [&] { control.advance(Job::Clock::now()); });
    guarded(job, [&] { job.on_time(Job::Clock::now()); });
    if (observer.wants_resize()) guarded(job, [&] { job.on_resize(Job::Clock::now()); });
    for (const Outgoing& out : job.take_outgoing()) transport.send(out.nodes, out.message);
    if (!job.ending()) guarded(job, [&] { pass_on(input, transport, observer); });
    guarded(job, [&] { observer.on_tick(); });
  }
  return job.report();
}

}  // namespace adarun::launcher
