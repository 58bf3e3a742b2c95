// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "launcher/protocol/archive.h"

namespace adarun::launcher {
namespace {

// Time in which further nodes that cannot be reached, or cannot be staged to, are collected and named as
// well.
constexpr std::chrono::milliseconds settle{1'000};
// Beyond the grace, for KILL, reaping and the transfer of the result.
constexpr std::chrono::milliseconds farewell{3'000};

}  // namespace

Job::Job(const Plan& plan, JobObserver& observer, Clock::time_point now,
         NodeReplacement::TakePlace take_place)
    : plan_(plan),
      options_(plan.options),
      observer_(observer),
      nodes_(plan.nodes.size()),
      staging_(plan.stage, options_.workdir, nodes_),
      ranks_(plan),
      hang_(plan, ranks_, observer, options_.hang_timeout),
      node_status_(plan, nodes_, ranks_, observer),
      exchange_(plan, observer,
                take_place ? MpiExchange::Published::kept : MpiExchange::Published::forgotten),
      suspension_(plan, nodes_, observer),
      context_{plan, nodes_, ranks_, node_status_, elasticity_, restarts_, hang_.watch(), observer},
      elasticity_(context_),
      restarts_(context_, suspension_),
      replacement_(context_, exchange_, suspension_, std::move(take_place)),
      policy_(make_failure_policy(context_, replacement_)),
      now_(now),
      begun_(now),
      quiet_at_(now) {}

// The next attempt does not begin before that. An agent that does not stay for it may wait for a busy
// launcher longer than the lease, and then gives its ranks the grace period.
void Job::note_still_running(std::uint32_t node, std::chrono::milliseconds time) {
  if (phase_ == JobPhase::connecting || replacement_.has_no_ranks(node)) return;
  const protocol::Start& start = plan_.nodes[node].start;
  const std::chrono::milliseconds lease(start.lease_ms);
  if (time.count() > 0 && !start.stays) time += busy_limit(lease) - lease + options_.grace;
  if (std::ranges::any_of(start.ranks, [&](const auto& part) { return !ranks_.has_ended(part.rank); }))
    quiet_at_ = std::max(quiet_at_, now_ + time);
}

void Job::start_if_all_ready() {
  if (phase_ != JobPhase::connecting || !nodes_.all_greeted() || !report_.failures.empty()) return;
  if (!staging_.begun()) {
    staging_.begin();
    if (!staging_.ended()) observer_.on_staging(staging_.progress());
  }
  if (!staging_.ended()) return;
  phase_ = JobPhase::running;
  nodes_.broadcast(plan_.job_spec);
  for (std::uint32_t node = 0; node < nodes_.count(); ++node) nodes_.send(node, plan_.nodes[node].start);
  for (std::uint32_t rank = 0; rank < plan_.world_size(); ++rank) hang_.watch().start(rank, now_);
  observer_.on_plan_sent();
}

void Job::on_interrupt(int signal, Clock::time_point now) {
  now_ = now;
  if (ended()) return;
  if (phase_ != JobPhase::stopping) {
    fail(interrupt_failure(signal));
  } else {
    note_interrupt(signal);
    if (signal != SIGPIPE) {  // Every further line raises SIGPIPE again.
      stop(StopMode::at_once);
      observer_.on_stopping({true});
    }
  }
  end_if_all_gone();
}

// The user wants no other attempt. What ended the job is what it was being stopped for, unless it was to
// continue after that.
void Job::note_interrupt(int signal) {
  if (told_over_ || report_.was_cut_short() || report_.failures.empty()) return;
  const bool was_to_go_on = report_.failures.front().kind == Failure::Kind::resized;
  report_.failures.insert(was_to_go_on ? report_.failures.begin() : report_.failures.end(),
                          interrupt_failure(signal));
}

void Job::on_broken(const std::string& why, Clock::time_point now) noexcept {
  now_ = now;
  if (ended() || !report_.failures.empty()) return;
  try {
    fail(job_failure(Failure::Kind::broken, why));
  } catch (const std::exception&) {
    return;  // Thrown by the observer; the job is being stopped already.
  }
}

void Job::on_resize(Clock::time_point now) {
  now_ = now;
  if (phase_ == JobPhase::running)
    fail(job_failure(Failure::Kind::resized, "its nodes change (adarun resize --now)"));
}

void Job::on_forward(int signal) {
  if (phase_ != JobPhase::running) return;
  nodes_.broadcast(protocol::Signal{signal});
  observer_.on_forwarded(signal);
}

// Before ranks run, there is nothing to suspend.
bool Job::on_suspend(Clock::time_point now) {
  now_ = now;
  if (phase_ != JobPhase::running || suspension_.is_on()) return false;
  suspension_.begin(now);
  return true;
}

void Job::on_continue(Clock::time_point now) {
  const auto stood = suspension_.end(now);
  if (!stood) return;
  now_ = now;
  begun_ += *stood;
  hang_.watch().advance(now, true);
  restarts_.give(now);
  replacement_.start_ready(now);
}

void Job::on_time(Clock::time_point now) {
  now_ = now;
  if (ended()) return;
  if (options_.timeout && now >= begun_ + *options_.timeout - plan_.timeout_used &&
      report_.failures.empty() && !told_over_)
    fail(timeout_failure(*options_.timeout));
  if (phase_ == JobPhase::connecting && report_.failures.empty()) staging_.tick();
  hang_.watch().advance(now, node_status_.any_cut());
  if (phase_ == JobPhase::running) {
    fail_if(hang_.tick(now, nodes_));
    if (phase_ == JobPhase::running) restarts_.give(now);
    replacement_.read_files(now);
    replacement_.replace_gone(now);
    elasticity_.tick(now);
    names_.tick(now, nodes_);
  }
  if (!gives_up_at_ || now < *gives_up_at_) return;
  if (phase_ != JobPhase::connecting) name_silent_nodes();
  end();
}

std::optional<Job::Clock::time_point> Job::deadline() const {
  if (ended()) return std::nullopt;
  if (gives_up_at_) return gives_up_at_;
  if (staging_.reading()) return now_;
  std::optional<Clock::time_point> next = hang_.deadline();
  for (const auto& due :
       {elasticity_.deadline(), restarts_.deadline(), replacement_.deadline(now_), names_.deadline()})
    if (due) next = std::min(next.value_or(Clock::time_point::max()), *due);
  if (options_.timeout)
    next = std::min(next.value_or(Clock::time_point::max()), begun_ + *options_.timeout - plan_.timeout_used);
  return next;
}

void Job::fail_if(const std::optional<Failure>& failure) {
  if (!failure || told_over_) return;  // Nothing that ends then is waited for.
  const bool ends_node = phase_ == JobPhase::running && !failure->rank && failure->node;
  if (ends_node && node_status_.has_left_running(*failure->node) && has_ended_well(*failure->node, context_))
    return;  // Its agent stayed for what its ranks left running.
  const FailurePolicy::Verdict verdict = policy_->after(*failure, phase_, now_);
  if (!verdict.ends_by) return;
  if (report_.failures.empty()) heard_failure_ = verdict.heard_failure;
  fail(*verdict.ends_by);
}

// Of later failures, only those before ranks run (further nodes that cannot be reached) are kept; others
// follow from the first one. The observer is called last because it may throw.
void Job::fail(const Failure& failure) {
  const bool first = report_.failures.empty();
  if (!first && phase_ != JobPhase::connecting) return;
  const bool interrupted = failure.kind == Failure::Kind::interrupted;
  report_.failures.push_back(failure);
  const bool stops = phase_ == JobPhase::running;
  if (stops) {
    stop(StopMode::with_grace);
  } else if (interrupted) {
    end();
  } else if (first) {
    gives_up_at_ = now_ + settle;
  }
  observer_.on_failure(failure);
  if (stops) observer_.on_stopping({false});
}

// An existing deadline is never moved to a later time.
void Job::stop(StopMode mode) {
  phase_ = JobPhase::stopping;
  if (const auto stood = suspension_.end(now_)) begun_ += *stood;
  replacement_.stop();
  const auto at =
      now_ + farewell + (mode == StopMode::at_once ? std::chrono::milliseconds(0) : options_.grace);
  gives_up_at_ = std::min(gives_up_at_.value_or(at), at);
  nodes_.broadcast(protocol::Stop{mode == StopMode::at_once});
}

// Whether all ranks have ended, but processes run on that some have left.
bool Job::only_left_processes_run() const {
  if (!node_status_.any_left_running()) return false;
  for (std::uint32_t rank = 0; rank < plan_.world_size(); ++rank)
    if (!ranks_.has_ended(rank) && ranks_.records()[rank].state != RankState::lost && !is_excused(rank))
      return false;
  return true;
}

// Agents stay for ranks that are started again, and those of the background and what ranks left run, until
// agents are told that nothing else does.
void Job::stop_if_over() {
  if (phase_ != JobPhase::running || (!policy_->is_over() && !only_left_processes_run())) return;
  told_over_ = true;
  if (const std::string background = policy_->describe_background(); !background.empty())
    observer_.on_notice("all others have ended: " + background + ", too");
  stop(StopMode::with_grace);
}

bool Job::is_excused(std::uint32_t rank) const {
  return policy_->has_left(rank) || (told_over_ && policy_->is_background(rank));
}

// Ranks that the failure of the job is not blamed on: those that it had continued without, or was to start
// again.
std::vector<std::uint32_t> Job::excused_failures() const {
  const std::vector<std::uint32_t> late = policy_->late();
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < plan_.world_size(); ++rank)
    if (policy_->has_left(rank) || restarts_.is_awaited(rank) || std::ranges::binary_search(late, rank))
      ranks.push_back(rank);
  return ranks;
}

void Job::end_if_all_gone() {
  if (ended()) return;
  const bool failed_early = phase_ == JobPhase::connecting && !report_.failures.empty();
  const bool others_may_fail_too = !nodes_.all_heard() || (staging_.begun() && !staging_.ended());
  if (failed_early ? !others_may_fail_too || nodes_.all_gone() : nodes_.all_gone()) end();
}

void Job::name_silent_nodes() {
  for (std::uint32_t node = 0; node < nodes_.count(); ++node)
    if (nodes_.state(node) == NodeState::greeted)
      observer_.on_notice(plan_.nodes[node].host.name +
                          ": has not said that its processes are gone; its agent ends them within its lease");
}

// A node that could not start its ranks may be at fault, but not each of them.
void Job::note_refusal() {
  if (report_.failures.empty() || report_.failures.front().kind != Failure::Kind::could_not_start) return;
  report_.is_refused = node_status_.all_have_refused();
  if (report_.is_refused && nodes_.count() > report_.failures.size())
    report_.failures.front().message += "; the other nodes refuse it, too";
}

// An agent that has sent Done must have reported the end of each of its ranks; otherwise the job has failed.
void Job::end() {
  for (std::uint32_t node = 0; node < nodes_.count(); ++node)
    if (nodes_.state(node) == NodeState::greeted)
      note_still_running(node, runs_on_unheard(std::chrono::milliseconds(plan_.nodes[node].start.lease_ms)));
  phase_ = JobPhase::ended;
  report_.runs_on =
      std::chrono::ceil<std::chrono::milliseconds>(std::max(quiet_at_ - now_, Clock::duration(0)));
  report_.ranks = ranks_.timed(node_status_.clocks());
  report_.duration = std::chrono::duration_cast<std::chrono::milliseconds>(now_ - begun_);
  if (report_.failures.empty()) {
    auto failure = ranks_.silent_end([this](std::uint32_t rank) { return is_excused(rank); });
    if (!failure) failure = ranks_.none_ended_well();
    if (failure) {
      report_.failures.push_back(*failure);
      observer_.on_failure(*failure);
    }
  }
  note_refusal();
  report_.left = policy_->left();
  find_first_failure(plan_, report_, heard_failure_, excused_failures());
  for (const std::uint32_t rank : policy_->late()) report_.followers.push_back(rank);
  if (!report_.failures.empty()) return;
  for (const std::string& line : ranks_.singletons()) observer_.on_notice(line);
}

}  // namespace adarun::launcher
