// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/rank_events.h"

#include "launcher/protocol/error.h"

namespace adarun::launcher {

std::optional<Failure> RankEvents::take(std::uint32_t node, const protocol::Message& message, JobPhase phase,
                                        Clock::time_point now) {
  if (const auto* output = std::get_if<protocol::Output>(&message)) {
    if (ranks_.has(node, output->rank)) print(*output, now);
  } else if (const auto* started = std::get_if<protocol::Started>(&message)) {
    if (ranks_.has(node, started->rank)) start(*started, now);
  } else if (const auto* exited = std::get_if<protocol::Exited>(&message)) {
    if (ranks_.has(node, exited->rank)) return exit(*exited, phase);
  } else if (const auto* joined = std::get_if<protocol::Joined>(&message)) {
    if (ranks_.has(node, joined->rank)) return join(*joined, phase);
  } else if (const auto* abort = std::get_if<protocol::Abort>(&message)) {
    if (ranks_.has(node, abort->rank) && !ranks_.records()[abort->rank].abort) return ranks_.abort(*abort);
  } else if (const auto* halted = std::get_if<protocol::Halted>(&message)) {
    if (ranks_.has(node, halted->rank)) observer_.on_halted(halted->rank, halted->signal);
  } else if (const auto* wanted = std::get_if<protocol::InputWanted>(&message)) {
    if (!ranks_.has(node, wanted->rank) || wanted->kind > protocol::InputWanted::Kind::no_more)
      throw protocol::Error("input is wanted that none of its ranks reads");
  } else if (const auto* answer = std::get_if<protocol::Answer>(&message)) {
    if (ranks_.has(node, answer->id) && phase == JobPhase::running) return hang_.take(*answer, now);
  }
  return std::nullopt;
}

void RankEvents::print(const protocol::Output& output, Clock::time_point now) {
  if (output.stream > protocol::Stream::err) throw protocol::Error("output of a stream that no program has");
  HangWatch& watch = hang_.watch();
  watch.hear(output.rank, output.bytes, now);
  ranks_.add_output(output.rank, output.bytes.size());
  observer_.on_output(output.rank, output.stream, output.bytes);
  if (watch.is_on()) watch.step(output.rank, observer_.step_of(output.rank), now);
}

void RankEvents::start(const protocol::Started& started, Clock::time_point now) {
  ranks_.start(started);
  hang_.watch().start(started.rank, now);
  observer_.on_started(started);
}

std::optional<Failure> RankEvents::exit(const protocol::Exited& exited, JobPhase phase) {
  hang_.watch().end(exited.rank);
  const std::optional<Failure> failure = ranks_.end(exited);
  observer_.on_exited(exited.rank, ranks_.records()[exited.rank]);
  return failure ? failure : missed_in_mpi(phase);
}

std::optional<Failure> RankEvents::join(const protocol::Joined& joined, JobPhase phase) {
  if (!ranks_.join(joined)) return std::nullopt;
  observer_.on_joined(joined.rank);
  return missed_in_mpi(phase);
}

std::optional<Failure> RankEvents::missed_in_mpi(JobPhase phase) {
  return phase == JobPhase::running ? ranks_.missed_in_mpi() : std::nullopt;
}

}  // namespace adarun::launcher
