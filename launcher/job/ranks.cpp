// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/ranks.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include "launcher/job/node_status.h"
#include "launcher/job/report.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher {
namespace {

std::string name_of_signal(int signal) {
  const char* name = sigabbrev_np(signal);
  const char* words = sigdescr_np(signal);
  const std::string text = name == nullptr ? "signal " + std::to_string(signal) : "SIG" + std::string(name);
  return words == nullptr ? text : text + " (" + words + ")";
}

// The likely sender of a KILL that no agent of ours sent.
const char* sender_of_kill(protocol::OutOfMemory out_of_memory) {
  switch (out_of_memory) {
    case protocol::OutOfMemory::yes:
      return ", out of memory";
    case protocol::OutOfMemory::likely:
      return ", most likely out of memory: the kernel killed for it on this node";
    case protocol::OutOfMemory::no:
      return ", not by adarun, nor by the kernel for want of memory";
    case protocol::OutOfMemory::unknown:
      break;
  }
  return ", not by adarun; perhaps out of memory";
}

bool is_end_of_process(const protocol::Exited& exited) {
  constexpr int most_code = 255;
  return exited.code >= 0 && exited.code <= most_code && exited.signal >= 0 && exited.signal < NSIG;
}

}  // namespace

const char* name_of(RankState state) {
  constexpr std::array names{
      std::pair{RankState::waiting, "waiting"}, std::pair{RankState::running, "running"},
      std::pair{RankState::done, "done"},       std::pair{RankState::failed, "failed"},
      std::pair{RankState::stopped, "stopped"}, std::pair{RankState::lost, "lost"},
  };
  static_assert(names.size() == static_cast<std::size_t>(RankState::lost) + 1, "a name for each state");
  return std::find_if(names.begin(), names.end(), [state](const auto& each) { return each.first == state; })
      ->second;
}

RankRecord record_of(const protocol::Started& started) {
  RankRecord record;
  record.state = RankState::running;
  record.pid = started.pid;
  record.started_ns = started.time_ns;
  return record;
}

std::string describe_end(const RankRecord& record) {
  if (record.abort && record.abort->call == protocol::EndingCall::spawn)
    return "MPI_Comm_spawn of " + record.abort->message;
  if (record.abort)
    return "MPI_Abort(" + std::to_string(record.abort->status) + ")" +
           (record.abort->message.empty() ? "" : ": " + record.abort->message);
  if (record.missed_in_mpi) return "exited 0 without joining MPI";
  if (record.signal == 0 && record.code == 0 && record.left_mpi_open)
    return "it called MPI_Init, and exited 0 without MPI_Finalize";
  if (record.signal == 0) return "exit code " + std::to_string(record.code);
  std::string text = name_of_signal(record.signal);
  if (record.core_dumped) text += ", core dumped" + (record.core.empty() ? "" : ": " + record.core);
  if (record.signal == SIGKILL && record.state == RankState::failed)
    text += sender_of_kill(record.out_of_memory);
  return text;
}

bool Ranks::has(std::uint32_t node, std::uint32_t rank) const {
  return rank < plan_.world_size() && plan_.node_of_rank[rank] == node;
}

void Ranks::start(const protocol::Started& started) {
  if (started_[started.rank] || ended_[started.rank])
    throw protocol::Error("a rank is started that was started before");
  started_[started.rank] = true;
  records_[started.rank] = record_of(started);
}

void Ranks::start_again(std::uint32_t rank) {
  started_[rank] = ended_[rank] = false;
  if (stayed_out_ == rank) stayed_out_.reset();
}

std::optional<Failure> Ranks::end(const protocol::Exited& exited) {
  if (ended_[exited.rank]) throw protocol::Error("a second end of a rank");
  if (!is_end_of_process(exited)) throw protocol::Error("an end that no process has");
  ended_[exited.rank] = true;
  RankRecord& record = records_[exited.rank];
  record.code = exited.code;
  record.signal = exited.signal;
  record.core_dumped = exited.core_dumped;
  record.core = exited.core;
  record.out_of_memory = exited.out_of_memory;
  if (record.joined_mpi && record.state == RankState::running) --in_mpi_;
  record.joined_mpi = exited.mpi_connected;
  record.left_mpi_open = exited.mpi_connected && !exited.mpi_finalized;
  if (record.abort) return std::nullopt;
  record.ended_ns = exited.time_ns;
  const bool good = exited.code == 0 && exited.signal == 0 && !record.left_mpi_open;
  record.state = exited.stopped_by_us ? RankState::stopped : good ? RankState::done : RankState::failed;
  if (record.state == RankState::done && !record.joined_mpi) stayed_out_ = exited.rank;
  if (record.state != RankState::failed) return std::nullopt;
  return failure_of(plan_, exited.rank, records_[exited.rank]);
}

Failure Ranks::abort(const protocol::Abort& abort) {
  RankRecord& record = records_[abort.rank];
  if (record.joined_mpi && record.state == RankState::running) --in_mpi_;
  record.state = RankState::failed;
  record.abort = abort;
  record.ended_ns = abort.time_ns;
  return failure_of(plan_, abort.rank, records_[abort.rank]);
}

bool Ranks::join(const protocol::Joined& joined) {
  RankRecord& record = records_[joined.rank];
  if (record.state != RankState::running || record.joined_mpi) return false;
  record.joined_mpi = true;
  ++in_mpi_;
  return true;
}

void Ranks::lose(std::uint32_t node) {
  for (const protocol::RankSpec& part : plan_.nodes[node].start.ranks) {
    RankRecord& record = records_[part.rank];
    if (record.state != RankState::running) continue;
    record.state = RankState::lost;
    if (record.joined_mpi) --in_mpi_;
  }
}

void Ranks::note_times(std::uint32_t node, const NodeClock& clock) {
  for (const protocol::RankSpec& part : plan_.nodes[node].start.ranks) {
    RankRecord& record = records_[part.rank];
    if (record.ended_ns != 0) record.ended = clock.here(record.ended_ns);
  }
}

void Ranks::bar_from_mpi(std::uint32_t rank) {
  if (!barred_) barred_ = rank;
}

bool Ranks::any_in_mpi_beside(std::uint32_t rank) const {
  const bool is_in_mpi = records_[rank].joined_mpi && records_[rank].state == RankState::running;
  return in_mpi_ > (is_in_mpi ? 1U : 0U);
}

std::optional<Failure> Ranks::missed_in_mpi() {
  if (barred_ && any_in_mpi_beside(*barred_)) {
    const RankRecord& record = records_[*barred_];
    if (record.state == RankState::failed) return failure_of(plan_, *barred_, record);
    return rank_failure(plan_, *barred_, Failure::Kind::rank_failed,
                        record.state == RankState::lost
                            ? " was lost, and others wait for it in MPI"
                            : " was started again, and others wait for it in MPI, which it cannot join");
  }
  if (!stayed_out_ || in_mpi_ == 0) return std::nullopt;
  records_[*stayed_out_].state = RankState::failed;
  records_[*stayed_out_].missed_in_mpi = true;
  return failure_of(plan_, *stayed_out_, records_[*stayed_out_]);
}

std::optional<Failure> Ranks::silent_end(const std::function<bool(std::uint32_t)>& is_excused) const {
  for (std::uint32_t rank = 0; rank < plan_.world_size(); ++rank)
    if (records_[rank].state != RankState::done && !is_excused(rank))
      return rank_failure(plan_, rank, Failure::Kind::broken, ": its agent did not say how it ended");
  return std::nullopt;
}

std::optional<Failure> Ranks::none_ended_well() const {
  std::optional<std::uint32_t> failed;
  for (std::uint32_t rank = 0; rank < plan_.world_size(); ++rank) {
    const RankState state = records_[rank].state;
    if (state == RankState::done) return std::nullopt;
    if (!failed && state != RankState::stopped) failed = rank;
  }
  if (!failed) return std::nullopt;
  if (records_[*failed].state == RankState::failed) return failure_of(plan_, *failed, records_[*failed]);
  return rank_failure(plan_, *failed, Failure::Kind::broken, ": no rank of the job has ended well");
}

std::vector<std::string> Ranks::singletons() const {
  const auto joined = [](const RankRecord& rank) { return rank.joined_mpi; };
  if (std::none_of(records_.begin(), records_.end(), joined)) return {};
  std::vector<std::string> lines;
  for (std::uint32_t rank = 0; rank < plan_.world_size(); ++rank)
    if (records_[rank].state == RankState::done && !records_[rank].joined_mpi)
      lines.push_back(describe_rank(plan_, rank) +
                      " exited 0 without joining MPI, while others did: it ran as a singleton");
  return lines;
}

std::vector<RankRecord> Ranks::timed(const std::vector<NodeClock>& clocks) const {
  std::vector<RankRecord> records = records_;
  for (std::uint32_t rank = 0; rank < records.size(); ++rank)
    if (records[rank].ended_ns != 0 && !records[rank].ended)
      records[rank].ended = clocks[plan_.node_of_rank[rank]].here(records[rank].ended_ns);
  return records;
}

}  // namespace adarun::launcher
