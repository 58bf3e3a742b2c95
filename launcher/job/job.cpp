// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job.h"

#include <algorithm>
#include <csignal>

#include "base/describe.h"
#include "launcher/protocol/error.h"

namespace adarun::launcher {

Job::Job(const Plan& plan, const Limits& limits, JobObserver& observer, Clock::time_point now)
    : plan_(plan),
      limits_(limits),
      observer_(observer),
      nodes_(plan.nodes.size()),
      staging_(plan.stage, plan.workdir, nodes_),
      ranks_(plan),
      elasticity_(plan.world_size(), limits.least_ranks),
      roles_(plan),
      restarts_(limits.least_ranks || plan.roles.empty()
                    ? RankRestarts(plan.world_size(), limits.rank_restarts)
                    : RankRestarts(plan.job_spec.application_of_rank, roles_.restarts())),
      joins_(plan, nodes_, limits.take_place),
      hang_(plan, ranks_, observer, limits.hang_timeout),
      node_status_(plan, nodes_, ranks_, observer),
      rank_events_(ranks_, hang_, observer),
      exchange_(plan, observer,
                limits.take_place ? MpiExchange::Published::kept : MpiExchange::Published::forgotten),
      suspension_(plan, nodes_, observer),
      shutdown_(plan, nodes_, observer, limits.grace),
      now_(now),
      begun_(now) {}

void Job::on_event(const TransportEvent& event, Clock::time_point now) {
  now_ = now;
  if (ended() || nodes_.state(event.node) == NodeState::lost) return;
  if (joins_.awaits(event.node) && !is_message<protocol::Hello>(event)) return;
  if (const auto* lost = std::get_if<LinkLost>(&event.what)) {
    on_lost(event.node, *lost);
  } else if (const auto* step = std::get_if<LinkStep>(&event.what)) {
    observer_.on_step(event.node, *step);
  } else if (const auto* reading = std::get_if<ClockReading>(&event.what)) {
    node_status_.read_clock(event.node, *reading);
  } else if (const auto* cut = std::get_if<LinkCut>(&event.what)) {
    node_status_.cut(event.node, cut->reason);
  } else if (std::holds_alternative<LinkResumed>(event.what)) {
    hang_.watch().held_up(now);  // Its ranks' output of that time arrives later.
    node_status_.resume(event.node);
  } else if (const auto* message = std::get_if<protocol::Message>(&event.what)) {
    on_any_message(event.node, *message);
  }
  stop_if_over();
  replace_gone();
  end_if_all_gone();
}

// A node whose agent violates the protocol counts as lost; its further messages are ignored.
void Job::on_any_message(std::uint32_t node, const protocol::Message& message) {
  if (nodes_.state(node) == NodeState::done) return;
  try {
    on_message(node, message);
  } catch (const protocol::Error& error) {
    nodes_.send(node, protocol::Stop{true});  // The link still works; lost nodes get no messages.
    on_lost(node, {std::string("its agent said what no agent says: ") + error.what(),
                   std::chrono::milliseconds(plan_.nodes[node].start.lease_ms)});
  }
}

void Job::on_message(std::uint32_t node, const protocol::Message& message) {
  require_ranks_of(node, message);
  if (const auto* hello = std::get_if<protocol::Hello>(&message)) {
    fail_if(node_status_.greet(node, *hello));
    start_if_all_ready();
    if (nodes_.state(node) == NodeState::greeted && joins_.greet(node)) start_spare_if_ready(node);
  } else if (const auto* ready = std::get_if<protocol::Ready>(&message)) {
    node_status_.set_ready(node, *ready);
  } else if (const auto* failed = std::get_if<protocol::Failed>(&message)) {
    fail_if(node_status_.fail(node, *failed));
  } else if (const auto* suspended = std::get_if<protocol::Suspend>(&message)) {
    if (suspended->on) suspension_.settle(node);
  } else if (std::holds_alternative<protocol::Done>(message) ||
             std::holds_alternative<protocol::Ended>(message)) {
    require_ends_of(node);
    node_status_.finish(node);
    suspension_.settle(node);
    joins_.lose(node, now_);
  } else if (const auto* stays_on = std::get_if<protocol::StaysOn>(&message)) {
    if (ranks_.runs(node, stays_on->rank)) go_on_with(stays_on->rank);
  } else if (const auto* listens = std::get_if<protocol::ListensAt>(&message)) {
    if (ranks_.runs(node, listens->rank) && elasticity_.listen_at(listens->rank, listens->endpoint))
      welcome(listens->rank);
  } else if (const auto* finalized = std::get_if<protocol::Finalized>(&message)) {
    if (ranks_.has(node, finalized->rank)) elasticity_.finalize(finalized->rank);
  } else if (const auto* lost = std::get_if<protocol::LostPeer>(&message)) {
    if (ranks_.has(node, lost->rank)) elasticity_.lose_peer(lost->generation, now_);
  } else if (phase_ == JobPhase::connecting && staging_.take(node, message)) {
    on_staging();
  } else if (stage_to_spare(node, message)) {
    start_spare_if_ready(node);
  } else {
    fail_if(rank_events_.take(node, message, phase_, now_));
    if (const auto* started = std::get_if<protocol::Started>(&message))
      if (!limits_.least_ranks && ranks_.has(node, started->rank)) restarts_.come_back(started->rank, now_);
    exchange_.route(node, message, nodes_);
  }
}

// Others wait for the ends of its ranks, and it tells no more.
void Job::require_ends_of(std::uint32_t node) const {
  if (phase_ != JobPhase::running || node_status_.has_failed(node)) return;
  if (!ranks_come_back() && !roles_.tells_end()) return;
  for (const protocol::RankSpec& part : plan_.nodes[node].start.ranks)
    if (!ranks_.has_ended(part.rank)) throw protocol::Error("it is done before its ranks");
}

void Job::on_lost(std::uint32_t node, const LinkLost& lost) {
  suspension_.settle(node);
  lose_ranks(node);
  joins_.lose(node, now_ + lost.runs_on);
  fail_if(node_status_.lose(node, lost.reason));
}

// Nothing more is heard of them.
void Job::lose_ranks(std::uint32_t node) {
  ranks_.lose(node);
  for (const protocol::RankSpec& spec : plan_.nodes[node].start.ranks) hang_.watch().end(spec.rank);
}

void Job::on_staging() {
  observer_.on_staging(staging_.progress());
  start_if_all_ready();
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
  observer_.on_plan_sent();
}

void Job::on_interrupt(int signal, Clock::time_point now) {
  now_ = now;
  if (ended()) return;
  if (phase_ != JobPhase::stopping) {
    fail(interrupt_failure(signal));
  } else if (signal != SIGPIPE) {  // Every further line raises SIGPIPE again.
    stop(Shutdown::Pace::at_once);
    observer_.on_stopping({true});
  }
  end_if_all_gone();
}

void Job::on_broken(const std::string& why, Clock::time_point now) noexcept {
  now_ = now;
  if (ended() || !report_.failures.empty()) return;
  try {
    fail({Failure::Kind::broken, {}, {}, 0, 0, why});
  } catch (const std::exception&) {
    return;  // Thrown by the observer; the job is being stopped already.
  }
}

void Job::on_resize(Clock::time_point now) {
  now_ = now;
  if (phase_ == JobPhase::running) fail(resize_failure());
}

void Job::on_forward(int signal) {
  if (phase_ != JobPhase::running) return;
  nodes_.broadcast(protocol::Signal{signal});
  observer_.on_forwarded(signal);
}

// Before ranks run, there is nothing to suspend.
void Job::on_suspend(Clock::time_point now) {
  now_ = now;
  if (phase_ == JobPhase::running) suspension_.begin(now);
}

void Job::on_continue(Clock::time_point now) {
  const auto stood = suspension_.end(now);
  if (!stood) return;
  now_ = now;
  begun_ += *stood;
  shutdown_.put_off(*stood);
  hang_.watch().held_up(now);
  for (const std::uint32_t node : joins_.ready()) start_spare_if_ready(node);
}

void Job::on_time(Clock::time_point now) {
  now_ = now;
  if (ended()) return;
  if (limits_.timeout && now >= begun_ + *limits_.timeout && report_.failures.empty() && !told_over_)
    fail(timeout_failure(*limits_.timeout));
  if (phase_ == JobPhase::connecting && report_.failures.empty()) staging_.tick();
  if (node_status_.any_cut()) hang_.watch().held_up(now);
  if (phase_ == JobPhase::running) {
    fail_if(hang_.tick(now, nodes_));
    start_again();
    for (const std::uint32_t node : joins_.reading()) read_for_spare(node);
    replace_gone();
    if (elasticity_.is_join_due(now)) join();
    if (const auto members = elasticity_.reconnect(ranks_.records(), now)) {
      nodes_.broadcast(*members);
      observer_.on_members(*members, "connections were lost: the same ranks connect anew");
    }
  }
  if (!shutdown_.is_due(now)) return;
  if (phase_ != JobPhase::connecting) shutdown_.name_silent_nodes();
  end();
}

std::optional<Job::Clock::time_point> Job::deadline() const {
  if (ended()) return std::nullopt;
  if (shutdown_.deadline()) return shutdown_.deadline();
  if (staging_.reading()) return now_;
  std::optional<Clock::time_point> next = hang_.deadline();
  const auto joins = suspension_.is_on() ? std::nullopt : joins_.deadline(now_);
  for (const auto& due : {elasticity_.deadline(), restarts_.deadline(), joins})
    if (due) next = std::min(next.value_or(Clock::time_point::max()), *due);
  if (limits_.timeout) next = std::min(next.value_or(Clock::time_point::max()), begun_ + *limits_.timeout);
  return next;
}

void Job::fail_if(const std::optional<Failure>& failure) {
  if (!failure || told_over_) return;  // Nothing that ends then is waited for.
  if (failure->rank && elasticity_.has_left(*failure->rank) && !restarts_.has(*failure->rank)) return;
  if (failure->kind == Failure::Kind::rank_failed && elasticity_.is_outside(*failure->rank)) {
    const std::string cause = describe_cause(*failure);
    const std::string restart = restart_missed(*failure->rank);
    return observer_.on_notice(cause + (restart.empty() ? "; it does not come back" : restart));
  }
  if (phase_ == JobPhase::running && !failure->rank && failure->node) {
    if (has_done_its_part(*failure->node)) return;
    if (is_outside(*failure->node)) return lose_outside(*failure);
  }
  if (phase_ == JobPhase::running && go_on_by_role(*failure)) return;
  if (phase_ == JobPhase::stopping && is_of_no_consequence(*failure)) late_.insert(*failure->rank);
  if (phase_ != JobPhase::running || !elasticity_.may_go_on_after(*failure)) return fail(*failure);
  if (!failure->rank && failure->node) lose_ranks(*failure->node);  // Its agent ends those that still run.
  switch (elasticity_.after(*failure, ranks_.records())) {
    case Elasticity::Consequence::others_go_on:
      return go_on_after(*failure);
    case Elasticity::Consequence::too_few_left:
      if (const auto members = elasticity_.too_few(ranks_.records())) nodes_.broadcast(*members);
      return fail_as_last(*failure,
                          "fewer than --min-ranks " + std::to_string(*limits_.least_ranks) + " are left");
    case Elasticity::Consequence::none_knows:
      return fail_as_last(*failure, "no rank is left that the others could go on from");
    case Elasticity::Consequence::job_fails:
      return fail(*failure);
  }
}

// Returns whether the job goes on as roles have it. What happens in MPI ends the job in any role: the others
// wait there for all ranks.
bool Job::go_on_by_role(const Failure& failure) {
  using Kind = Failure::Kind;
  if (limits_.least_ranks || plan_.roles.empty()) return false;
  if (failure.kind == Kind::rank_failed) return go_on_without_rank(*failure.rank);
  const bool is_end_of_node = failure.kind == Kind::node_lost || failure.kind == Kind::could_not_start ||
                              failure.kind == Kind::not_found || failure.kind == Kind::not_executable;
  return is_end_of_node && failure.node && go_on_without_node(*failure.node, failure.message);
}

bool Job::is_waited_for_in_mpi(std::uint32_t rank) const {
  const RankRecord& record = ranks_.records()[rank];
  return record.missed_in_mpi || record.left_mpi_open || ranks_.any_in_mpi_beside(rank);
}

// Whether the job would have gone on after a failure of which it hears while it ends for another one.
bool Job::is_of_no_consequence(const Failure& failure) const {
  if (limits_.least_ranks || plan_.roles.empty() || failure.kind != Failure::Kind::rank_failed) return false;
  const std::uint32_t rank = *failure.rank;
  return !is_waited_for_in_mpi(rank) && (roles_.is_optional(rank) || restarts_.left(rank) > 0);
}

bool Job::go_on_without_rank(std::uint32_t rank) {
  const RankRecord& record = ranks_.records()[rank];
  if (is_waited_for_in_mpi(rank)) return false;
  std::string consequence = plan_restart(rank);
  if (consequence.empty()) {
    if (!roles_.is_optional(rank)) return false;
    roles_.leave(rank);
    consequence = "; the job goes on, as the role is optional";
  }
  ranks_.bar_from_mpi(rank);
  observer_.on_notice(describe_rank(plan_, rank) + ": " + describe_end(record) + consequence);
  return true;
}

bool Job::go_on_without_node(std::uint32_t node, const std::string& cause) {
  for (const protocol::RankSpec& part : plan_.nodes[node].start.ranks)
    if (ranks_.records()[part.rank].joined_mpi || ranks_.any_in_mpi_beside(part.rank)) return false;
  const auto left = roles_.leave_node(node, ranks_);
  if (!left || (left->empty() && !roles_.tells_end())) return false;
  for (const std::uint32_t rank : *left) ranks_.bar_from_mpi(rank);
  observer_.on_notice(cause + (left->empty() ? "; all of its ranks had ended well"
                                             : "; the job goes on, as its roles there are optional"));
  return true;
}

void Job::go_on_after(const Failure& failure) {
  const auto members = elasticity_.without_ended(ranks_.records());
  const std::string cause = describe_cause(failure);
  if (!members) return observer_.on_notice(cause + "; the others have ended well");
  nodes_.broadcast(*members);
  observer_.on_members(*members, cause);
  observer_.on_notice(cause + "; the job goes on with " + describe_count(members->ranks.size()) +
                      what_comes_after(failure));
}

// The end of a sentence.
std::string Job::what_comes_after(const Failure& failure) {
  if (failure.rank) return restart_missed(*failure.rank);
  return failure.node ? replace_if_gone(*failure.node) : "";
}

// A rank stays on that has been started, or started again.
void Job::go_on_with(std::uint32_t rank) {
  if (phase_ != JobPhase::running) return;
  if (elasticity_.has_left(rank)) {
    elasticity_.come(rank, now_);
    if (!others_come_with(rank)) join();
  } else if (const auto members = elasticity_.stay_on(rank, ranks_.records())) {
    nodes_.broadcast(*members);
  }
}

// Whether another rank of its node has been started again, and has not said yet that it stays on.
bool Job::others_come_with(std::uint32_t rank) const {
  const std::vector<protocol::RankSpec>& parts = plan_.nodes[plan_.node_of_rank[rank]].start.ranks;
  return std::ranges::any_of(parts, [this](const protocol::RankSpec& part) {
    return elasticity_.is_outside(part.rank) && !ranks_.has_ended(part.rank);
  });
}

void Job::join() {
  const std::vector<std::uint32_t> coming = elasticity_.coming();
  if (coming.empty()) return;
  const auto members = elasticity_.join(ranks_.records());
  if (!members) return;
  nodes_.broadcast(*members);
  const std::string others =
      coming.size() == 1 ? " comes" : " and " + std::to_string(coming.size() - 1) + " more come";
  observer_.on_members(*members, describe_rank(plan_, coming.front()) + others + " back");
}

// It has what the others have.
void Job::welcome(std::uint32_t rank) {
  restarts_.come_back(rank, now_);
  observer_.on_notice(describe_rank(plan_, rank) + " has come back; the job goes on with " +
                      describe_count(plan_.world_size() - elasticity_.left().size()));
}

std::string Job::restart_missed(std::uint32_t rank) {
  return elasticity_.is_missed(rank) ? plan_restart(rank) : "";
}

// The end of a sentence that says so; empty if the rank is not started again.
std::string Job::plan_restart(std::uint32_t rank) {
  if (!may_start(rank)) return "";
  const auto delay = restarts_.plan(rank, now_);
  if (!delay) return "";
  start_again();
  return "; it is started again" + (delay->count() > 0 ? " in " + base::describe(*delay) : "") +
         " (restarts left: " + std::to_string(restarts_.left(rank)) + ")";
}

void Job::start_again() {
  for (const protocol::StartAgain& order : restarts_.take_due(now_)) {
    if (!may_start(order.rank)) continue;
    ranks_.start_again(order.rank);
    nodes_.send(plan_.node_of_rank[order.rank], order);
  }
}

bool Job::may_start(std::uint32_t rank) const {
  const std::uint32_t node = plan_.node_of_rank[rank];
  return phase_ == JobPhase::running && nodes_.state(node) == NodeState::greeted &&
         !node_status_.has_failed(node) && ranks_.has_ended(rank);
}

std::string Job::describe_count(std::size_t ranks) const {
  return std::to_string(ranks) + " of " + std::to_string(plan_.world_size()) + " ranks";
}

void Job::fail_as_last(const Failure& failure, const std::string& why) {
  Failure last = failure;
  last.message = describe_cause(failure) + "; " + why;
  heard_failure_ = HeardFailure::stands;
  fail(last);
}

// Not as the failure that ends a job: others may have come before it.
std::string Job::describe_cause(const Failure& failure) const {
  if (!failure.rank) return failure.message;
  return describe_rank(plan_, *failure.rank) + ": " + describe_end(ranks_.records()[*failure.rank]);
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
    stop(Shutdown::Pace::with_grace);
  } else if (interrupted) {
    end();
  } else if (first) {
    shutdown_.wait_for_others(now_);
  }
  observer_.on_failure(failure);
  if (stops) observer_.on_stopping({false});
}

// Spares that have got nothing yet stay for another attempt.
void Job::stop(Shutdown::Pace pace) {
  phase_ = JobPhase::stopping;
  for (const std::uint32_t node : joins_.stop()) nodes_.set(node, NodeState::lost);
  shutdown_.stop(pace, now_);
}

bool Job::is_over() {
  if (ranks_come_back()) return elasticity_.is_over(ranks_.records());
  return roles_.is_over(ranks_, restarts_);
}

// Agents stay for ranks that are started again, and those of the background run, until agents are told that
// nothing else does.
void Job::stop_if_over() {
  if (phase_ != JobPhase::running || !is_over()) return;
  told_over_ = true;
  if (const std::string background = roles_.describe_background(ranks_); !background.empty())
    observer_.on_notice("all others have ended: " + background + ", too");
  stop(Shutdown::Pace::with_grace);
}

bool Job::is_excused(std::uint32_t rank) const {
  return elasticity_.has_left(rank) || roles_.has_left(rank) || (told_over_ && roles_.is_background(rank));
}

// Ranks that the failure of the job is not blamed on: those that it had gone on without, or was to start
// again.
std::vector<std::uint32_t> Job::excused_failures() const {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < plan_.world_size(); ++rank)
    if (elasticity_.has_left(rank) || roles_.has_left(rank) || restarts_.is_awaited(rank) ||
        late_.count(rank) != 0)
      ranks.push_back(rank);
  return ranks;
}

void Job::end_if_all_gone() {
  if (ended()) return;
  const bool failed_early = phase_ == JobPhase::connecting && !report_.failures.empty();
  const bool others_may_fail_too = !nodes_.all_heard() || (staging_.begun() && !staging_.ended());
  if (failed_early ? !others_may_fail_too || nodes_.all_gone() : nodes_.all_gone()) end();
}

// An agent that has sent Done must have reported the end of each of its ranks; otherwise the job has failed.
void Job::end() {
  phase_ = JobPhase::ended;
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
  report_.left = limits_.least_ranks ? elasticity_.left() : roles_.left();
  find_first_failure(plan_, report_, heard_failure_, excused_failures());
  report_.followers.insert(report_.followers.end(), late_.begin(), late_.end());
  if (!report_.failures.empty()) return;
  for (const std::string& line : ranks_.singletons()) observer_.on_notice(line);
}

}  // namespace adarun::launcher
