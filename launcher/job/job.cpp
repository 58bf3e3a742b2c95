// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "launcher/job/describe_end.h"
#include "launcher/protocol/error.h"
#include "launcher/protocol/lease_times.h"

namespace adarun::launcher {

Job::Job(const Plan& plan, JobObserver& observer, Clock::time_point now, SpareJoins::TakePlace take_place)
    : plan_(plan),
      options_(plan.options),
      observer_(observer),
      nodes_(plan.nodes.size()),
      staging_(plan.stage, options_.workdir, nodes_),
      ranks_(plan),
      elasticity_(plan.world_size(), options_.min_ranks),
      roles_(plan),
      restarts_(options_.min_ranks || options_.roles.empty()
                    ? RankRestarts(plan.world_size(), static_cast<std::size_t>(options_.rank_restarts))
                    : RankRestarts(plan.job_spec.application_of_rank, roles_.restarts())),
      hang_(plan, ranks_, observer, options_.hang_timeout),
      node_status_(plan, nodes_, ranks_, observer),
      rank_events_(ranks_, hang_, observer),
      exchange_(plan, observer,
                take_place ? MpiExchange::Published::kept : MpiExchange::Published::forgotten),
      suspension_(plan, nodes_, observer),
      parts_{plan, nodes_, ranks_, node_status_, elasticity_, restarts_, hang_.watch(), observer},
      orders_(parts_, suspension_),
      consequences_(parts_, roles_, orders_),
      members_(parts_),
      replacement_(parts_, members_, exchange_, suspension_, std::move(take_place)),
      shutdown_(plan, nodes_, observer, options_.grace),
      now_(now),
      begun_(now),
      quiet_at_(now) {}

void Job::on_event(const TransportEvent& event, Clock::time_point now) {
  now_ = now;
  if (ended() || nodes_.state(event.node) == NodeState::lost) return;
  hang_.watch().advance(now, node_status_.any_cut());  // Output of that time arrives later.
  if (replacement_.awaits(event.node) && !is_message<protocol::Hello>(event)) return;
  if (const auto* lost = std::get_if<LinkLost>(&event.what)) {
    on_lost(event.node, *lost);
  } else if (const auto* step = std::get_if<LinkStep>(&event.what)) {
    observer_.on_step(event.node, *step);
  } else if (const auto* reading = std::get_if<ClockReading>(&event.what)) {
    node_status_.read_clock(event.node, *reading);
  } else if (const auto* cut = std::get_if<LinkCut>(&event.what)) {
    node_status_.cut(event.node, *cut);
  } else if (std::holds_alternative<LinkResumed>(event.what)) {
    node_status_.resume(event.node);
  } else if (const auto* message = std::get_if<protocol::Message>(&event.what)) {
    on_any_message(event.node, *message);
  }
  stop_if_over();
  if (phase_ == JobPhase::running) replacement_.replace_gone(now);
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
  replacement_.require_ranks_of(node, message);
  if (const auto* hello = std::get_if<protocol::Hello>(&message)) {
    fail_if(node_status_.greet(node, *hello));
    start_if_all_ready();
    replacement_.greet(node, now_);
  } else if (const auto* ready = std::get_if<protocol::Ready>(&message)) {
    node_status_.set_ready(node, *ready);
  } else if (const auto* failed = std::get_if<protocol::Failed>(&message)) {
    fail_if(node_status_.fail(node, *failed));
  } else if (const auto* suspended = std::get_if<protocol::Suspend>(&message)) {
    if (suspended->on) suspension_.settle(node);
  } else if (std::holds_alternative<protocol::Done>(message) ||
             std::holds_alternative<protocol::Ended>(message)) {
    require_ends_of(node);
    if (phase_ == JobPhase::connecting && report_.failures.empty())
      throw protocol::Error("it is done before it was told anything");
    node_status_.finish(node);
    suspension_.settle(node);
    if (phase_ == JobPhase::running) replacement_.lose(node, now_);
  } else if (const auto* stays_on = std::get_if<protocol::StaysOn>(&message)) {
    if (phase_ == JobPhase::running && ranks_.runs(node, stays_on->rank))
      members_.stay_on(stays_on->rank, now_);
  } else if (const auto* listens = std::get_if<protocol::ListensAt>(&message)) {
    if (ranks_.runs(node, listens->rank)) members_.listen_at(listens->rank, listens->endpoint, now_);
  } else if (const auto* finalized = std::get_if<protocol::Finalized>(&message)) {
    if (ranks_.has(node, finalized->rank)) elasticity_.finalize(finalized->rank);
  } else if (const auto* lost = std::get_if<protocol::LostPeer>(&message)) {
    if (ranks_.has(node, lost->rank)) elasticity_.lose_peer(lost->generation, now_);
  } else if (const auto* left = std::get_if<protocol::LeftRunning>(&message)) {
    node_status_.leave_running(node, *left);
  } else if (const auto* request = std::get_if<protocol::NameRequest>(&message)) {
    if (ranks_.has(node, request->rank)) names_.take(node, *request, nodes_, now_);
  } else if (phase_ == JobPhase::connecting && staging_.take(node, message)) {
    on_staging();
  } else if (!replacement_.take(node, message, now_)) {
    fail_if(rank_events_.take(node, message, phase_, now_));
    if (const auto* started = std::get_if<protocol::Started>(&message))
      if (!options_.min_ranks && ranks_.has(node, started->rank)) restarts_.come_back(started->rank, now_);
    exchange_.route(node, message, nodes_);
  }
}

// Others wait for the ends of its ranks, and it tells no more.
void Job::require_ends_of(std::uint32_t node) const {
  if (phase_ != JobPhase::running || node_status_.has_failed(node)) return;
  if (!ranks_come_back() && !roles_.tells_end()) return;
  for (const protocol::RankSpec& part : plan_.nodes[node].start.ranks) {
    const bool is_started_again = !options_.min_ranks && restarts_.is_awaited(part.rank);
    if (is_started_again || !ranks_.has_ended(part.rank))
      throw protocol::Error("it is done before its ranks");
  }
}

void Job::on_lost(std::uint32_t node, const LinkLost& lost) {
  suspension_.settle(node);
  note_still_running(node, lost.runs_on);
  lose_ranks(node);
  names_.forget(node);
  if (phase_ == JobPhase::running) replacement_.lose(node, now_ + lost.runs_on);
  fail_if(node_status_.lose(node, lost.reason));
}

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

// Nothing more is heard of them.
void Job::lose_ranks(std::uint32_t node) {
  ranks_.lose(node);
  for (const protocol::RankSpec& spec : plan_.nodes[node].start.ranks) hang_.watch().end(spec.rank);
}

// They are not waited for, also those of which it is still heard that they have started.
void Job::leave_ranks(std::uint32_t node) {
  for (const protocol::RankSpec& spec : plan_.nodes[node].start.ranks) {
    hang_.watch().leave_out(spec.rank);
    hang_.watch().end(spec.rank);
  }
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
      stop(Shutdown::Pace::at_once);
      observer_.on_stopping({true});
    }
  }
  end_if_all_gone();
}

// The user wants no other attempt. What ended the job is what it was being stopped for, unless it was to go
// on after that.
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
  shutdown_.put_off(*stood);
  hang_.watch().advance(now, true);
  orders_.give(now);
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
    if (phase_ == JobPhase::running) orders_.give(now);
    replacement_.read_files(now);
    replacement_.replace_gone(now);
    members_.tick(now);
    names_.tick(now, nodes_);
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
  for (const auto& due :
       {elasticity_.deadline(), orders_.deadline(), replacement_.deadline(now_), names_.deadline()})
    if (due) next = std::min(next.value_or(Clock::time_point::max()), *due);
  if (options_.timeout)
    next = std::min(next.value_or(Clock::time_point::max()), begun_ + *options_.timeout - plan_.timeout_used);
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
    if (members_.is_outside(*failure->node)) {
      lose_ranks(*failure->node);
      return replacement_.lose_outside(*failure, now_);
    }
  }
  if (phase_ == JobPhase::running && decides_by_role() && consequences_.go_on_after(*failure, now_)) {
    if (failure->kind != Failure::Kind::rank_failed && failure->node) leave_ranks(*failure->node);
    return;
  }
  if (phase_ == JobPhase::stopping && decides_by_role() && failure->kind == Failure::Kind::rank_failed &&
      consequences_.would_go_on_without(*failure->rank))
    late_.insert(*failure->rank);
  if (phase_ != JobPhase::running || !elasticity_.may_go_on_after(*failure)) return fail(*failure);
  if (!failure->rank && failure->node) lose_ranks(*failure->node);  // Its agent ends those that still run.
  switch (elasticity_.after(*failure, ranks_.records())) {
    case Elasticity::Consequence::others_go_on:
      return go_on_after(*failure);
    case Elasticity::Consequence::too_few_left:
      members_.tell_too_few();
      return fail_as_last(*failure,
                          "fewer than --min-ranks " + std::to_string(*options_.min_ranks) + " are left");
    case Elasticity::Consequence::none_knows:
      return fail_as_last(*failure, "no rank is left that the others could go on from");
    case Elasticity::Consequence::job_fails:
      return fail(*failure);
  }
}

// Whether its ranks have all ended well, and it is needed no more: its agent stays only for those that might
// have been started again, or for what they left running.
bool Job::has_done_its_part(std::uint32_t node) const {
  const bool stays = ranks_come_back() || node_status_.has_left_running(node);
  return stays && std::ranges::all_of(plan_.nodes[node].start.ranks, [this](const auto& part) {
           return ranks_.records()[part.rank].state == RankState::done;
         });
}

void Job::go_on_after(const Failure& failure) {
  const std::string cause = describe_cause(failure);
  if (!members_.drop_ended(cause)) return observer_.on_notice(cause + "; the others have ended well");
  observer_.on_notice(cause + "; the job goes on with " + members_.describe_members() +
                      what_comes_after(failure));
}

// The end of a sentence.
std::string Job::what_comes_after(const Failure& failure) {
  if (failure.rank) return restart_missed(*failure.rank);
  return failure.node ? replacement_.replace_if_gone(*failure.node, now_) : "";
}

std::string Job::restart_missed(std::uint32_t rank) {
  return phase_ == JobPhase::running && elasticity_.is_missed(rank) ? orders_.plan(rank, now_) : "";
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

void Job::stop(Shutdown::Pace pace) {
  phase_ = JobPhase::stopping;
  if (const auto stood = suspension_.end(now_)) begun_ += *stood;
  replacement_.stop();
  shutdown_.stop(pace, now_);
}

bool Job::is_over() {
  if (ranks_come_back()) return elasticity_.is_over(ranks_.records());
  return roles_.is_over(ranks_, restarts_);
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
  if (phase_ != JobPhase::running || (!is_over() && !only_left_processes_run())) return;
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
  report_.left = options_.min_ranks ? elasticity_.left() : roles_.left();
  find_first_failure(plan_, report_, heard_failure_, excused_failures());
  report_.followers.insert(report_.followers.end(), late_.begin(), late_.end());
  if (!report_.failures.empty()) return;
  for (const std::string& line : ranks_.singletons()) observer_.on_notice(line);
}

}  // namespace adarun::launcher
