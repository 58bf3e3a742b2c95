// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job.h"

#include <algorithm>
#include <csignal>

#include "launcher/job/first_failure.h"

namespace adarun::launcher {
namespace {

// So that several nodes that cannot be reached, or take no files, are all named, not only the first.
constexpr std::chrono::milliseconds settle{1'000};
// Beyond the grace, for KILL, reaping and the way home.
constexpr std::chrono::milliseconds farewell{3'000};

}  // namespace

Job::Job(const Plan& plan, const Limits& limits, JobObserver& observer, Clock::time_point now)
    : plan_(plan),
      limits_(limits),
      observer_(observer),
      nodes_(plan.nodes.size()),
      staging_(plan.stage, plan.workdir, nodes_),
      ranks_(plan),
      hang_(plan, ranks_, observer, limits.hang_timeout),
      exchange_(plan, observer),
      clocks_(plan.nodes.size()),
      now_(now),
      begun_(now) {}

void Job::start_if_all_ready() {
  if (phase_ != Phase::connecting || !nodes_.all_greeted() || !report_.failures.empty()) return;
  if (!staging_.begun()) {
    staging_.begin();
    if (!staging_.ended()) observer_.on_staging(staging_.progress());
  }
  if (!staging_.ended()) return;
  phase_ = Phase::running;
  nodes_.broadcast(plan_.job_spec);
  for (std::uint32_t node = 0; node < nodes_.count(); ++node) nodes_.send(node, plan_.nodes[node].start);
  observer_.on_plan_sent();
}

void Job::on_interrupt(int signal, Clock::time_point now) {
  now_ = now;
  if (phase_ == Phase::ended) return;
  if (phase_ != Phase::stopping) {
    fail(interrupt_failure(signal));
  } else if (signal != SIGPIPE) {  // Which comes again with each further line.
    stop(true);
    observer_.on_stopping({true});
  }
  end_if_all_gone();
}

void Job::on_broken(const std::string& why, Clock::time_point now) noexcept {
  now_ = now;
  if (phase_ == Phase::ended || !report_.failures.empty()) return;
  try {
    fail({Failure::Kind::broken, {}, {}, 0, 0, why});
  } catch (const std::exception&) {
    return;  // The observer's; the job is being stopped already.
  }
}

void Job::on_forward(int signal) {
  if (phase_ != Phase::running) return;
  nodes_.broadcast(protocol::Signal{signal});
  observer_.on_forwarded(signal);
}

void Job::on_time(Clock::time_point now) {
  now_ = now;
  if (phase_ == Phase::ended) return;
  if (limits_.timeout && now >= begun_ + *limits_.timeout && report_.failures.empty())
    fail(timeout_failure(*limits_.timeout));
  if (phase_ == Phase::connecting && report_.failures.empty()) staging_.tick();
  if (!cut_.empty()) hang_.watch().held_up(now);
  if (phase_ == Phase::running)
    if (const auto failure = hang_.tick(now, nodes_)) fail(*failure);
  if (!give_up_ || now < *give_up_) return;
  if (phase_ != Phase::connecting) give_up_on_silent_nodes();
  end();
}

void Job::give_up_on_silent_nodes() {
  for (std::uint32_t node = 0; node < nodes_.count(); ++node)
    if (nodes_.state(node) == NodeState::greeted)
      observer_.on_notice(plan_.nodes[node].host.name +
                          ": has not said that its processes are gone; its agent ends them within its lease");
}

std::optional<Job::Clock::time_point> Job::deadline() const {
  if (phase_ == Phase::ended) return std::nullopt;
  if (give_up_) return give_up_;
  if (staging_.reading()) return now_;
  std::optional<Clock::time_point> next = hang_.deadline();
  if (limits_.timeout) next = std::min(next.value_or(Clock::time_point::max()), begun_ + *limits_.timeout);
  return next;
}

// The failures that follow from the first one are only kept where they stand for themselves: further nodes
// that cannot be reached. The observer comes last: it may throw.
void Job::fail(const Failure& failure) {
  const bool first = report_.failures.empty();
  if (!first && phase_ != Phase::connecting) return;
  const bool interrupted = failure.kind == Failure::Kind::interrupted;
  report_.failures.push_back(failure);
  const bool stops = phase_ == Phase::running;
  if (stops) {
    stop(false);
  } else if (interrupted) {
    end();
  } else if (first) {
    give_up_ = now_ + settle;
  }
  observer_.on_failure(failure);
  if (stops) observer_.on_stopping({false});
}

void Job::stop(bool at_once) {
  phase_ = Phase::stopping;
  const Clock::time_point timeout = now_ + (at_once ? farewell : limits_.grace + farewell);
  give_up_ = give_up_ ? std::min(*give_up_, timeout) : timeout;
  nodes_.broadcast(protocol::Stop{at_once});
}

void Job::end_if_all_gone() {
  if (phase_ == Phase::ended) return;
  const bool failed_early = phase_ == Phase::connecting && !report_.failures.empty();
  const bool others_may_fail_too = !nodes_.all_heard() || (staging_.begun() && !staging_.ended());
  if (failed_early ? !others_may_fail_too || nodes_.all_gone() : nodes_.all_gone()) end();
}

void Job::end() {
  phase_ = Phase::ended;
  report_.ranks = ranks_.timed(clocks_);
  report_.duration = std::chrono::duration_cast<std::chrono::milliseconds>(now_ - begun_);
  if (report_.failures.empty()) refuse_silent_ends();
  find_first_failure();
  if (!report_.failures.empty()) return;
  for (const std::string& line : ranks_.singletons()) observer_.on_notice(line);
}

// The failure that was heard of first stopped the job; by the clocks another one may have come before it.
void Job::find_first_failure() {
  FailureOrder order = order_failures(plan_, report_.ranks);
  if (order.first.empty() || report_.failures.empty()) return;
  Failure& heard = report_.failures.front();
  const bool of_a_rank = heard.kind == Failure::Kind::rank_failed || heard.kind == Failure::Kind::aborted;
  const std::uint32_t earliest = order.first.front();
  if (of_a_rank && report_.ranks[*heard.rank].ended && report_.ranks[earliest].ended) {
    if (heard.rank != earliest) heard = ranks_.failure_of(earliest);
    order.first.erase(order.first.begin());
    report_.beside = std::move(order.first);
  } else {
    order.later.insert(order.later.begin(), order.first.begin(), order.first.end());
    if (heard.rank) std::erase(order.later, *heard.rank);
  }
  report_.followers = std::move(order.later);
}

// An agent that says Done without the end of each of its ranks has not done its part.
void Job::refuse_silent_ends() {
  const auto failure = ranks_.silent_end();
  if (!failure) return;
  report_.failures.push_back(*failure);
  observer_.on_failure(*failure);
}

}  // namespace adarun::launcher
