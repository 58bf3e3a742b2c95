// SPDX-License-Identifier: Apache-2.0
// What a job does when it hears of a node or a rank.
#include "base/overloaded.h"
#include "launcher/job/job.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher {

void Job::on_event(const TransportEvent& event, Clock::time_point now) {
  now_ = now;
  if (ended() || nodes_.state(event.node) == NodeState::lost) return;
  hang_.watch().advance(now, node_status_.any_cut());  // Output of that time arrives later.
  if (replacement_.awaits(event.node) && !is_message<protocol::Hello>(event)) return;
  const std::uint32_t node = event.node;
  std::visit(base::Overloaded{
                 [&](const LinkLost& lost) { on_lost(node, lost); },
                 [&](const LinkStep& step) { observer_.on_step(node, step); },
                 [&](const ClockReading& reading) { node_status_.read_clock(node, reading); },
                 [&](const LinkCut& cut) { node_status_.cut(node, cut); },
                 [&](const LinkResumed&) { node_status_.resume(node); },
                 [&](const protocol::Message& message) { on_any_message(node, message); },
                 [](const auto&) {},  // For the log alone.
             },
             event.what);
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
    on_lost(node, {std::string("its agent sent an invalid message: ") + error.what(),
                   std::chrono::milliseconds(plan_.nodes[node].start.lease_ms)});
  }
}

void Job::on_message(std::uint32_t node, const protocol::Message& message) {
  replacement_.require_ranks_of(node, message);
  std::visit(base::Overloaded{
                 [&](const protocol::Hello& hello) { on_hello(node, hello); },
                 [&](const protocol::StagePresent&) { on_files(node, message); },
                 [&](const protocol::StageTaken&) { on_files(node, message); },
                 [&](const protocol::Staged&) { on_files(node, message); },
                 [&](const protocol::Ready& ready) { node_status_.set_ready(node, ready); },
                 [&](const protocol::Failed& failed) { fail_if(node_status_.fail(node, failed)); },
                 [&](const protocol::Suspend& suspended) {
                   if (suspended.on) suspension_.settle(node);
                 },
                 [&](const protocol::LeftRunning& left) { node_status_.leave_running(node, left); },
                 [&](const protocol::Ended&) { on_done(node); },
                 [&](const protocol::Done&) { on_done(node); },
                 [&](const protocol::Fence& fence) { exchange_.enter(node, fence, nodes_); },
                 [&](const protocol::ModexRequest& request) { exchange_.request(node, request, nodes_); },
                 [&](const protocol::ModexReply& reply) { exchange_.reply(node, reply, nodes_); },
                 [&](const protocol::InputWanted& wanted) {
                   if (!ranks_.has(node, wanted.rank) || wanted.kind > protocol::InputWanted::Kind::no_more)
                     throw protocol::Error("input is wanted that none of its ranks reads");
                 },
                 [&](const auto&) { on_rank_message(node, message); },
             },
             message);
}

// Of a rank that does not run on `node`, it is ignored.
void Job::on_rank_message(std::uint32_t node, const protocol::Message& message) {
  const auto is_of_another_node = [&](const auto& each) {
    if constexpr (requires { each.rank; }) return !ranks_.has(node, each.rank);
    return false;
  };
  if (std::visit(is_of_another_node, message)) return;
  std::visit(base::Overloaded{
                 [&](const protocol::Started& started) { on_started(started); },
                 [&](const protocol::Output& output) { on_output(output); },
                 [&](const protocol::Exited& exited) { on_exited(exited); },
                 [&](const protocol::Joined& joined) { on_joined(joined); },
                 [&](const protocol::Abort& abort) {
                   if (!ranks_.records()[abort.rank].abort) fail_if(ranks_.abort(abort));
                 },
                 [&](const protocol::Halted& halted) { observer_.on_halted(halted.rank, halted.signal); },
                 [&](const protocol::Answer& answer) {
                   if (phase_ == JobPhase::running) fail_if(hang_.take(node, answer, now_));
                 },
                 [&](const protocol::StaysOn& stays_on) {
                   if (phase_ == JobPhase::running && ranks_.runs(node, stays_on.rank))
                     elasticity_.stay_on(stays_on.rank, now_);
                 },
                 [&](const protocol::ListensAt& listens) {
                   if (ranks_.runs(node, listens.rank))
                     elasticity_.listen_at(listens.rank, listens.endpoint, now_);
                 },
                 [&](const protocol::Finalized& finalized) { elasticity_.finalize(finalized.rank); },
                 [&](const protocol::LostPeer& lost) { elasticity_.lose_peer(lost.generation, now_); },
                 [&](const protocol::NameRequest& request) { names_.take(node, request, nodes_, now_); },
                 [](const auto&) {},  // Of the connection, or of another conversation.
             },
             message);
}

void Job::on_hello(std::uint32_t node, const protocol::Hello& hello) {
  fail_if(node_status_.greet(node, hello));
  start_if_all_ready();
  replacement_.greet(node, now_);
}

// Of a node of the job before its ranks start, or of a spare.
void Job::on_files(std::uint32_t node, const protocol::Message& message) {
  if (phase_ != JobPhase::connecting || !staging_.take(node, message)) {
    replacement_.take(node, message, now_);
    return;
  }
  observer_.on_staging(staging_.progress());
  start_if_all_ready();
}

void Job::on_done(std::uint32_t node) {
  require_ends_of(node);
  if (phase_ == JobPhase::connecting && report_.failures.empty())
    throw protocol::Error("it is done before it was told anything");
  node_status_.finish(node);
  suspension_.settle(node);
  if (phase_ == JobPhase::running) replacement_.lose(node, now_);
}

// Others wait for the ends of its ranks, and it tells no more.
void Job::require_ends_of(std::uint32_t node) const {
  if (phase_ != JobPhase::running || node_status_.has_failed(node)) return;
  if (!policy_->tells_end()) return;
  for (const protocol::RankSpec& spec : plan_.nodes[node].start.ranks)
    if (policy_->awaits(spec.rank) || !ranks_.has_ended(spec.rank))
      throw protocol::Error("it is done before its ranks");
}

void Job::on_lost(std::uint32_t node, const LinkLost& lost) {
  suspension_.settle(node);
  note_still_running(node, lost.runs_on);
  lose_ranks(node, context_);
  names_.forget(node);
  if (phase_ == JobPhase::running) replacement_.lose(node, now_ + lost.runs_on);
  fail_if(node_status_.lose(node, lost.reason));
}

void Job::on_started(const protocol::Started& started) {
  ranks_.start(started);
  hang_.watch().start(started.rank, now_);
  observer_.on_started(started);
  policy_->start(started.rank, now_);
}

void Job::on_output(const protocol::Output& output) {
  if (output.stream > protocol::Stream::err) throw protocol::Error("output of a stream that no program has");
  HangWatch& watch = hang_.watch();
  watch.hear(output.rank, output.bytes, now_);
  ranks_.add_output(output.rank, output.bytes.size());
  observer_.on_output(output.rank, output.stream, output.bytes);
  if (watch.is_on()) watch.step(output.rank, observer_.step_of(output.rank), now_);
}

void Job::on_exited(const protocol::Exited& exited) {
  hang_.watch().end(exited.rank);
  const std::optional<Failure> failure = ranks_.end(exited);
  observer_.on_exited(exited.rank, ranks_.records()[exited.rank]);
  if (phase_ == JobPhase::running && ranks_.records()[exited.rank].state == RankState::done)
    elasticity_.end_well(now_);
  fail_if(failure ? failure : missed_in_mpi());
}

void Job::on_joined(const protocol::Joined& joined) {
  if (!ranks_.join(joined)) return;
  observer_.on_joined(joined.rank);
  fail_if(missed_in_mpi());
}

std::optional<Failure> Job::missed_in_mpi() {
  return phase_ == JobPhase::running ? ranks_.missed_in_mpi() : std::nullopt;
}

}  // namespace adarun::launcher
