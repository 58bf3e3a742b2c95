// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/ranks.h"

#include <algorithm>

namespace adarun::launcher {

bool Ranks::has(std::uint32_t node, std::uint32_t rank) const {
  return rank < plan_.world_size() && plan_.node_of_rank[rank] == node;
}

void Ranks::start(const wire::Started& started) {
  RankRecord& record = records_[started.rank];
  record.state = RankState::running;
  record.pid = started.pid;
  record.started_ns = started.time_ns;
}

std::optional<Failure> Ranks::end(const wire::Exited& exited, bool stopping) {
  RankRecord& record = records_[exited.rank];
  record.code = exited.code;
  record.signal = exited.signal;
  record.core_dumped = exited.core_dumped;
  if (record.joined_mpi && record.state == RankState::running) --in_mpi_;
  record.joined_mpi = exited.mpi_connected;
  record.ended_ns = exited.time_ns;
  const bool left_mpi_open = exited.mpi_connected && !exited.mpi_finalized;
  const bool zero = exited.code == 0 && exited.signal == 0;
  const bool good = zero && !left_mpi_open;
  const bool ours = exited.stopped_by_us || stopping;
  record.state = good && !ours ? RankState::done : ours ? RankState::stopped : RankState::failed;
  if (record.state == RankState::done && !record.joined_mpi) stayed_out_ = exited.rank;
  if (record.state != RankState::failed) return std::nullopt;
  return failure(exited.rank,
                 zero ? " failed first: it called MPI_Init, and exited 0 without MPI_Finalize"
                      : " failed first: " + describe_end(exited.code, exited.signal, exited.core_dumped));
}

void Ranks::join(const wire::Joined& joined) {
  RankRecord& record = records_[joined.rank];
  if (record.state != RankState::running || record.joined_mpi) return;
  record.joined_mpi = true;
  ++in_mpi_;
}

void Ranks::lose(std::uint32_t node) {
  for (const wire::RankPart& part : plan_.nodes[node].start.ranks) {
    RankState& state = records_[part.rank].state;
    if (state == RankState::running) state = RankState::lost;
  }
}

std::optional<Failure> Ranks::missed_in_mpi() {
  if (!stayed_out_ || in_mpi_ == 0) return std::nullopt;
  records_[*stayed_out_].state = RankState::failed;
  return failure(*stayed_out_,
                 " exited 0 without joining MPI, while others wait for it there: it ran as a singleton");
}

std::optional<Failure> Ranks::silent_end() const {
  for (std::uint32_t rank = 0; rank < plan_.world_size(); ++rank)
    if (records_[rank].state != RankState::done)
      return rank_failure(plan_, rank, Failure::Kind::broken, ": its agent did not say how it ended");
  return std::nullopt;
}

std::vector<std::string> Ranks::singletons() const {
  const auto joined = [](const RankRecord& rank) { return rank.joined_mpi; };
  if (std::none_of(records_.begin(), records_.end(), joined)) return {};
  std::vector<std::string> lines;
  for (std::uint32_t rank = 0; rank < plan_.world_size(); ++rank)
    if (!records_[rank].joined_mpi)
      lines.push_back(describe_rank(plan_, rank) +
                      " exited 0 without joining MPI, while others did: it ran as a singleton");
  return lines;
}

Failure Ranks::failure(std::uint32_t rank, const std::string& how) const {
  Failure failure = rank_failure(plan_, rank, Failure::Kind::rank_failed, how);
  failure.code = records_[rank].code;
  failure.signal = records_[rank].signal;
  return failure;
}

}  // namespace adarun::launcher
