// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/local_ranks.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "launcher/agent/ranks/descendants.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher::agent {
namespace {

constexpr std::array streams{protocol::Stream::out, protocol::Stream::err};

// Enough reads to empty a full pipe or terminal: one gives up to 4 KiB of a terminal, 64 KiB of a pipe.
constexpr int last_turns = 64;

}  // namespace

std::optional<pid_t> LocalRanks::ended(std::uint32_t rank) const {
  const auto old = std::find_if(ranks_.begin(), ranks_.end(),
                                [rank](const RankProcess& each) { return each.number() == rank; });
  return old != ranks_.end() && old->over() ? std::optional(old->pid()) : std::nullopt;
}

void LocalRanks::replace(RankProcess rank) {
  const auto old = std::ranges::find(ranks_, rank.number(), &RankProcess::number);
  if (old != ranks_.end()) {
    rank.continue_output_at(old->output_end());
    ranks_.erase(old);
  }
  add(std::move(rank));
}

void LocalRanks::watch(Poll& poll, Clock::time_point now) {
  const bool held_up = channel_.holds_ranks_up(now);
  note_hold_up(held_up, now);
  if (held_up && now < channel_.cut_off_at()) poll.until(channel_.cut_off_at());
  for (RankProcess& rank : ranks_) {
    poll.watch(rank.report_fd(), POLLIN, [this, &rank] {
      if (const auto failed = read_report(rank)) fail({*failed});
    });
    poll.watch(rank.input().fd(), rank.input().events(), [&rank] { rank.input().write(); });
    poll.until(rank.output_due());
    if (held_up) continue;
    for (const protocol::Stream stream : streams)
      poll.watch(rank.output_fd(stream), POLLIN, [&rank, stream] { rank.read_output(stream, Clock::now()); });
    poll.until(rank.output_deadline());
  }
}

// Short pauses are common and not logged.
void LocalRanks::note_hold_up(bool held_up, Clock::time_point now) {
  constexpr std::chrono::seconds worth_telling{1};
  if (held_up && !held_up_since_) held_up_since_ = now;
  if (held_up || !held_up_since_) return;
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(now - *held_up_since_);
  held_up_since_.reset();
  if (time >= worth_telling)
    diagnostics_.debug("ranks were held up for " + std::to_string(time.count()) +
                       " ms: their output was not taken");
}

std::optional<protocol::Failed> LocalRanks::read_report(RankProcess& rank) {
  const auto message = rank.read_report(Clock::now());
  if (!message) return std::nullopt;
  const auto* failed = std::get_if<protocol::Failed>(&*message);
  if (failed == nullptr) {
    channel_.send(*message);
    return std::nullopt;
  }
  if (failed->failure == protocol::StartFailure::not_found)
    diagnostics_.debug("PATH of rank " + std::to_string(rank.number()) + ": " + rank.search_path());
  return *failed;
}

std::vector<protocol::Failed> LocalRanks::take_failures() {
  std::vector<protocol::Failed> failures;
  for (RankProcess& rank : ranks_)
    if (rank.report_fd() >= 0)
      if (const auto failed = read_report(rank)) failures.push_back(*failed);
  return failures;
}

// fail_ ends the ranks, and calls this object again.
void LocalRanks::fail(const std::vector<protocol::Failed>& failures) const {
  for (const protocol::Failed& each : failures) fail_(each.failure, each.message);
}

void LocalRanks::read_reports() {
  fail(take_failures());
}

void LocalRanks::feed(const protocol::Input& input) {
  const auto rank = std::ranges::find(ranks_, input.rank, &RankProcess::number);
  if (rank == ranks_.end()) throw protocol::Error("input for a rank that is none of this node");
  rank->input().add(input);
}

void LocalRanks::note_those_ending() {
  const std::vector<protocol::Failed> failures = take_failures();
  for (RankProcess& rank : ranks_)
    if (rank.alive()) rank.note_if_ending();
  fail(failures);
}

void LocalRanks::reaped(pid_t pid, int status, bool stopped_by_us, Clock::time_point now) {
  const auto rank = std::find_if(ranks_.begin(), ranks_.end(), [pid](const RankProcess& each) {
    return each.alive() && each.pid() == pid;
  });
  if (rank != ranks_.end()) rank->reaped(status, stopped_by_us, now);
}

void LocalRanks::halted(pid_t pid, int signal) {
  for (const RankProcess& rank : ranks_)
    if (rank.alive() && rank.pid() == pid) channel_.send(protocol::Halted{rank.number(), signal});
}

// Reads what ended ranks wrote to the MPI servers first, so that Joined is sent before Exited. A rank may
// have joined MPI since its report was last looked at: Started is sent before that.
void LocalRanks::settle(MpiServers& mpi, Clock::time_point now) {
  for (const RankProcess& rank : ranks_)
    if (!rank.alive() && !rank.over()) mpi.hear_out(rank.number());
  const std::vector<protocol::Message> requests = mpi.collect();
  if (!requests.empty()) read_reports();
  for (const protocol::Message& message : requests) channel_.send(message);
  for (RankProcess& rank : ranks_) settle_rank(rank, mpi, now);
}

void LocalRanks::settle_rank(RankProcess& rank, const MpiServers& mpi, Clock::time_point now) {
  const auto deadline = rank.output_deadline();
  if (deadline && *deadline <= now && !channel_.holds_ranks_up(now)) {
    for (const protocol::Stream stream : streams)
      for (int turns = 0; turns < last_turns && rank.read_output(stream, now);) ++turns;
    rank.close_output();
  }
  if (const auto wanted = rank.input().request()) channel_.send(*wanted);
  while (auto output = rank.take_output(now))
    if (!(channel_.abandoned() && channel_.full(now))) channel_.send(std::move(*output));
  if (auto exited = rank.finish()) {
    mpi.add_outcome(*exited);
    channel_.send(*exited);
  }
}

void LocalRanks::signal(int number) {
  if (number < 1 || number > SIGRTMAX)
    throw protocol::Error("signal " + std::to_string(number) + ": there is none");
  const std::vector<pid_t> running = groups();
  diagnostics_.debug("signal " + std::to_string(number) + " to " + std::to_string(running.size()) + " ranks");
  for (const pid_t leader : running) ::kill(leader, number);
}

std::vector<pid_t> LocalRanks::groups() const {
  std::vector<pid_t> result;
  for (const RankProcess& rank : ranks_)
    if (rank.alive()) result.push_back(rank.pid());
  return result;
}

protocol::LeftRunning LocalRanks::left() const {
  std::vector<RankLife> lives;
  for (const RankProcess& rank : ranks_)
    lives.push_back({rank.number(), rank.pid(),
                     rank.alive()        ? RankLife::State::runs
                     : rank.ended_well() ? RankLife::State::ended_well
                                         : RankLife::State::failed});
  return left_running(lives);
}

bool LocalRanks::over() const {
  return std::all_of(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) { return rank.over(); });
}

}  // namespace adarun::launcher::agent
