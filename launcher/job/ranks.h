// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/job/node_clock.h"
#include "launcher/job/rank_record.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// The ranks of a job as their nodes tell of them, and what is wrong with the way one of them ended: the
/// failures it gives are for the job to act on. Passive. Borrows the plan.
class Ranks {
 public:
  explicit Ranks(const Plan& plan)
      : plan_(plan), records_(plan.world_size()), started_(plan.world_size()), ended_(plan.world_size()) {}

  const std::vector<RankRecord>& records() const { return records_; }

  /// Whether there is such a rank, and `node` is where it runs.
  bool has(std::uint32_t node, std::uint32_t rank) const;

  /// Throws protocol::Error where that was told before.
  void start(const protocol::Started& started);

  /// Takes a rank's end down. A rank that has failed by itself is a failure of the job. Throws
  /// protocol::Error where its end was told before, or is none that a process can have.
  std::optional<Failure> end(const protocol::Exited& exited);

  /// A rank has called MPI_Abort: it has failed, however it ends.
  Failure abort(const protocol::Abort& abort);

  /// A rank has joined MPI; false where that was known, or it does not run.
  bool join(const protocol::Joined& joined);

  /// The ranks that ran on `node` are lost.
  void lose(std::uint32_t node);

  /// The failure of a rank that exited 0 without joining MPI while others wait for it there: MPI_Init returns
  /// when all ranks of the world have called it. That rank has failed from now on.
  std::optional<Failure> missed_in_mpi();

  /// The failure of a rank whose end was not told, now that all nodes are gone.
  std::optional<Failure> silent_end() const;

  /// The failure that this rank's end is.
  Failure failure_of(std::uint32_t rank) const;

  /// The records with the end of each rank by the launcher's clock, of which `clocks` has one for each node.
  std::vector<RankRecord> timed(const std::vector<NodeClock>& clocks) const;

  /// The ranks that exited 0 without joining MPI though others had joined, each in words: built against
  /// another MPI, or without MPI_Init, they ran alone.
  std::vector<std::string> singletons() const;

 private:
  const Plan& plan_;
  std::vector<RankRecord> records_;
  std::vector<bool> started_;                ///< Whether its start was told.
  std::vector<bool> ended_;                  ///< Whether its end was told.
  std::size_t in_mpi_ = 0;                   ///< Ranks that have joined MPI and still run.
  std::optional<std::uint32_t> stayed_out_;  ///< A rank that exited 0 and had not joined MPI.
};

}  // namespace adarun::launcher
