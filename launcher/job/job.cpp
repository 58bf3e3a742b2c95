// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include "launcher/agent_version.h"
#include "launcher/describe.h"

namespace adarun::launcher {
namespace {

// So that several nodes that cannot be reached are all named, not only the first.
constexpr std::chrono::milliseconds settle{1'000};
// Beyond the grace, for KILL, reaping and the way home.
constexpr std::chrono::milliseconds farewell{3'000};

Failure::Kind kind_of(wire::Failure failure) {
  switch (failure) {
    case wire::Failure::not_executable:
      return Failure::Kind::not_executable;
    case wire::Failure::not_found:
      return Failure::Kind::not_found;
    case wire::Failure::could_not_start:
      break;
  }
  return Failure::Kind::could_not_start;
}

std::string describe_interrupt(int signal) {
  if (signal == SIGPIPE) return "nobody reads the output any more (SIGPIPE)";
  const char* name = sigabbrev_np(signal);
  return "interrupted by SIG" + std::string(name == nullptr ? "?" : name);
}

}  // namespace

Job::Job(const Plan& plan, const Limits& limits, JobObserver& observer, Clock::time_point now)
    : plan_(plan),
      limits_(limits),
      observer_(observer),
      nodes_(plan.nodes.size(), NodeState::connecting),
      ranks_(plan),
      hang_watch_(plan.world_size(), limits.hang_timeout),
      fences_(plan.node_of_rank),
      now_(now),
      begun_(now) {}

void Job::on_event(const TransportEvent& event, Clock::time_point now) {
  now_ = now;
  if (phase_ == Phase::ended || nodes_[event.node] == NodeState::lost) return;
  if (const auto* lost = std::get_if<LinkLost>(&event.what)) {
    on_lost(event.node, lost->reason);
  } else {
    const auto& message = std::get<wire::Message>(event.what);
    on_message(event.node, message);
    if (std::holds_alternative<wire::Output>(message)) return;
  }
  end_if_all_gone();
}

void Job::on_message(std::uint32_t node, const wire::Message& message) {
  if (const auto* output = std::get_if<wire::Output>(&message)) {
    if (!ranks_.has(node, output->rank)) return;
    hang_watch_.hear(output->rank, output->bytes, now_);
    observer_.on_output(output->rank, output->stream, output->bytes);
  } else if (const auto* hello = std::get_if<wire::Hello>(&message)) {
    on_hello(node, *hello);
  } else if (const auto* failed = std::get_if<wire::Failed>(&message)) {
    on_failed(node, *failed);
  } else if (const auto* ready = std::get_if<wire::Ready>(&message)) {
    observer_.on_ready(node, *ready);
  } else if (const auto* started = std::get_if<wire::Started>(&message)) {
    if (ranks_.has(node, started->rank)) on_started(*started);
  } else if (const auto* exited = std::get_if<wire::Exited>(&message)) {
    if (ranks_.has(node, exited->rank)) on_exited(*exited);
  } else if (const auto* joined = std::get_if<wire::Joined>(&message)) {
    if (ranks_.has(node, joined->rank)) on_joined(*joined);
  } else if (const auto* abort = std::get_if<wire::Abort>(&message)) {
    if (ranks_.has(node, abort->rank)) on_abort(*abort);
  } else if (const auto* answer = std::get_if<wire::Answer>(&message)) {
    if (ranks_.has(node, answer->id)) on_examined(*answer);
  } else if (std::holds_alternative<wire::Done>(message)) {
    nodes_[node] = NodeState::done;
  } else {
    route(node, message);
  }
}

// The exchange between PMIx servers: fences are gathered here, requests for one rank go to its node.
void Job::route(std::uint32_t node, const wire::Message& message) {
  if (const auto* fence = std::get_if<wire::Fence>(&message)) {
    if (auto complete = fences_.enter(node, *fence))
      for (const std::uint32_t each : complete->nodes) send(each, complete->message);
  } else if (const auto* request = std::get_if<wire::ModexRequest>(&message)) {
    if (request->rank < plan_.world_size()) send(plan_.node_of_rank[request->rank], *request);
  } else if (const auto* reply = std::get_if<wire::ModexReply>(&message)) {
    if (reply->asking_node < nodes_.size()) send(reply->asking_node, *reply);
  }
}

void Job::on_hello(std::uint32_t node, const wire::Hello& hello) {
  const std::string& name = plan_.nodes[node].host.name;
  nodes_[node] = NodeState::greeted;
  observer_.on_greeted(node, hello);
  if (const std::string refusal = version_refusal(hello); !refusal.empty()) {
    fail({Failure::Kind::could_not_start, {}, node, 0, 0, name + ": " + refusal});
    return;
  }
  start_if_all_greeted();
}

void Job::start_if_all_greeted() {
  const bool all =
      std::all_of(nodes_.begin(), nodes_.end(), [](NodeState s) { return s == NodeState::greeted; });
  if (phase_ != Phase::connecting || !all || !report_.failures.empty()) return;
  phase_ = Phase::running;
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) send(node, plan_.nodes[node].start);
}

void Job::on_failed(std::uint32_t node, const wire::Failed& failed) {
  fail({kind_of(failed.failure), {}, node, 0, 0, plan_.nodes[node].host.name + ": " + failed.message});
}

void Job::on_started(const wire::Started& started) {
  ranks_.start(started);
  hang_watch_.start(started.rank, now_);
  observer_.on_started(started);
}

void Job::on_exited(const wire::Exited& exited) {
  hang_watch_.end(exited.rank);
  const std::optional<Failure> failure = ranks_.end(exited, phase_ == Phase::stopping);
  observer_.on_exited(exited.rank, ranks_.records()[exited.rank]);
  if (failure) fail(*failure);
  fail_if_a_rank_is_missed();
}

void Job::on_joined(const wire::Joined& joined) {
  ranks_.join(joined);
  fail_if_a_rank_is_missed();
}

void Job::fail_if_a_rank_is_missed() {
  if (phase_ != Phase::running) return;
  if (const auto failure = ranks_.missed_in_mpi()) fail(*failure);
}

// Those furthest behind; the first of them holds up the others.
void Job::examine() {
  constexpr std::size_t most_examined = 4;
  const std::vector<std::uint32_t> suspects =
      hang_watch_.suspects([this](std::uint32_t rank) { return observer_.step_of(rank); });
  examination_.emplace(now_);
  for (std::size_t i = 0; i < std::min(suspects.size(), most_examined); ++i)
    send(plan_.node_of_rank[suspects[i]],
         examination_->question(suspects[i], ranks_.records()[suspects[i]].pid));
}

void Job::on_examined(const wire::Answer& answer) {
  if (examination_ && phase_ == Phase::running && examination_->take(answer)) fail_as_hung();
}

void Job::fail_as_hung() {
  const auto step_of = [this](std::uint32_t rank) { return observer_.step_of(rank); };
  const std::vector<std::uint32_t> suspects = hang_watch_.suspects(step_of);
  if (suspects.empty()) return;
  for (const std::uint32_t each : suspects)
    if (const auto found = examination_->found().find(each); found != examination_->found().end())
      observer_.on_examined(each, found->second);
  const std::uint32_t rank = suspects.front();
  std::string message = describe_rank(plan_, rank) + " hangs: silent for " +
                        describe(hang_watch_.silence(rank, now_)) + ", as are all ranks that run";
  if (const auto step = step_of(rank)) message += "; its last step is " + std::to_string(*step);
  fail({Failure::Kind::hung, rank, plan_.node_of_rank[rank], 0, 0, message});
}

void Job::on_abort(const wire::Abort& abort) {
  std::string message =
      describe_rank(plan_, abort.rank) + " called MPI_Abort(" + std::to_string(abort.status) + ")";
  if (!abort.message.empty()) message += ": " + abort.message;
  fail({Failure::Kind::aborted, abort.rank, plan_.node_of_rank[abort.rank], abort.status, 0, message});
}

void Job::on_lost(std::uint32_t node, const std::string& reason) {
  const bool was_done = nodes_[node] == NodeState::done;
  const bool was_connecting = nodes_[node] == NodeState::connecting;
  nodes_[node] = NodeState::lost;
  if (was_done) return;
  ranks_.lose(node);
  observer_.on_lost(node, reason);
  const auto kind = was_connecting ? Failure::Kind::could_not_start : Failure::Kind::node_lost;
  fail({kind, {}, node, 0, 0, plan_.nodes[node].host.name + ": " + reason});
}

void Job::on_interrupt(int signal, Clock::time_point now) {
  now_ = now;
  if (phase_ == Phase::ended) return;
  if (phase_ != Phase::stopping) {
    fail({Failure::Kind::interrupted, {}, {}, 0, signal, describe_interrupt(signal)});
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
  broadcast(wire::Signal{signal});
  observer_.on_forwarded(signal);
}

void Job::on_time(Clock::time_point now) {
  now_ = now;
  if (phase_ == Phase::ended) return;
  if (limits_.timeout && now >= begun_ + *limits_.timeout && report_.failures.empty())
    fail({Failure::Kind::timed_out,
          {},
          {},
          0,
          0,
          "out of time: the job ran for " + describe(*limits_.timeout)});
  if (phase_ == Phase::running && hang_watch_.deadline() && now >= *hang_watch_.deadline()) {
    if (!examination_) {
      examine();
    } else if (now >= examination_->end()) {
      fail_as_hung();
    }
  }
  if (!give_up_ || now < *give_up_) return;
  if (phase_ == Phase::connecting) {
    end();
    return;
  }
  for (std::uint32_t node = 0; node < nodes_.size(); ++node)
    if (nodes_[node] == NodeState::greeted)
      observer_.on_notice(plan_.nodes[node].host.name +
                          ": has not said that its processes are gone; its agent ends them within its lease");
  end();
}

std::optional<Job::Clock::time_point> Job::deadline() const {
  if (phase_ == Phase::ended) return std::nullopt;
  if (give_up_) return give_up_;
  std::optional<Clock::time_point> next =
      examination_ ? std::optional(examination_->end()) : hang_watch_.deadline();
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
  const Clock::time_point patience = now_ + (at_once ? farewell : limits_.grace + farewell);
  give_up_ = give_up_ ? std::min(*give_up_, patience) : patience;
  broadcast(wire::Stop{at_once});
}

void Job::end_if_all_gone() {
  const auto gone = [](NodeState state) { return state == NodeState::done || state == NodeState::lost; };
  const auto heard = [](NodeState state) { return state != NodeState::connecting; };
  const bool starting = phase_ == Phase::connecting && !report_.failures.empty();
  if (phase_ == Phase::ended) return;
  if (starting ? std::all_of(nodes_.begin(), nodes_.end(), heard)
               : std::all_of(nodes_.begin(), nodes_.end(), gone))
    end();
}

void Job::end() {
  phase_ = Phase::ended;
  report_.ranks = ranks_.records();
  report_.duration = std::chrono::duration_cast<std::chrono::milliseconds>(now_ - begun_);
  if (report_.failures.empty()) refuse_silent_ends();
  if (!report_.failures.empty()) return;
  for (const std::string& line : ranks_.singletons()) observer_.on_notice(line);
}

// An agent that says Done without the end of each of its ranks has not done its part.
void Job::refuse_silent_ends() {
  const auto failure = ranks_.silent_end();
  if (!failure) return;
  report_.failures.push_back(*failure);
  observer_.on_failure(*failure);
}

void Job::send(std::uint32_t node, wire::Message message) {
  if (nodes_[node] != NodeState::lost) outgoing_.push_back({node, std::move(message)});
}

void Job::broadcast(const wire::Message& message) {
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) send(node, message);
}

}  // namespace adarun::launcher
