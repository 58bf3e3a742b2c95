// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {

class NodeClock;

/// A time by the launcher's clock.
struct Moment {
  std::int64_t ns = 0;        ///< Since the Unix epoch.
  std::int64_t bound_ns = 0;  ///< Maximum error, either way.

  bool operator==(const Moment&) const = default;
};

/// State of a rank. Its transitions, in Ranks:
///
///     waiting -> running                  Started
///     running -> done, failed, stopped    Exited
///     running -> failed                   Abort
///     done    -> failed                   others wait in MPI_Init for a rank that never joined
///     running -> lost                     its node is lost
///
/// A rank whose Started is missing goes from waiting to its end state; one that has aborted stays failed
/// however it exits.
enum class RankState {
  waiting,  ///< Not started yet.
  running,
  done,     ///< Exit code 0.
  failed,   ///< Ended by itself with another code, by a signal not sent by adarun, or by MPI_Abort.
  stopped,  ///< Ended by its agent because the job was being stopped.
  lost,     ///< Its node was lost. The last state.
};

/// State and end of one rank.
struct RankRecord {
  RankState state = RankState::waiting;
  std::uint32_t pid = 0;
  int code = 0;
  int signal = 0;  ///< The signal that ended it, or 0.
  bool core_dumped = false;
  std::string core;  ///< Path of the core file, if the node knows it.
  protocol::OutOfMemory out_of_memory = protocol::OutOfMemory::unknown;
  bool joined_mpi = false;
  bool left_mpi_open = false;            ///< It exited without MPI_Finalize.
  bool missed_in_mpi = false;            ///< It exited without joining MPI while others waited for it.
  std::optional<protocol::Abort> abort;  ///< Its call of MPI_Abort.
  std::int64_t started_ns = 0;           ///< By the node's clock.
  std::int64_t ended_ns = 0;    ///< By the node's clock; if it called MPI_Abort, the time of the call.
  std::optional<Moment> ended;  ///< `ended_ns` by the launcher's clock; set once the job has ended, or
                                ///< another node has the place of its node.
};

/// "waiting", "running", ...
const char* name_of(RankState state);

/// That of a rank which has started.
RankRecord record_of(const protocol::Started& started);

/// How a rank ended: "exit code 7", "SIGSEGV (Segmentation fault), core dumped: /home/ada/core.17".
std::string describe_end(const RankRecord& record);

/// The records of a job's ranks, from the messages of their nodes. Functions return a failure if the way a
/// rank ended is one; the caller acts on it. Passive. Borrows the plan.
class Ranks {
 public:
  explicit Ranks(const Plan& plan)
      : plan_(plan),
        records_(plan.world_size()),
        started_(plan.world_size()),
        ended_(plan.world_size()),
        output_bytes_(plan.world_size()) {}

  const std::vector<RankRecord>& records() const { return records_; }

  /// Whether `rank` exists and runs on `node`.
  bool has(std::uint32_t node, std::uint32_t rank) const;

  /// Whether `rank` runs on `node` now.
  bool runs(std::uint32_t node, std::uint32_t rank) const {
    return has(node, rank) && records_[rank].state == RankState::running;
  }

  /// Throws protocol::Error if the rank's start or end was reported before.
  void start(const protocol::Started& started);

  /// A rank that has ended is started again: its start and end are reported once more. Until then its record
  /// is that of its end.
  void start_again(std::uint32_t rank);

  /// Whether the rank's start was reported, its last one where it is started again.
  bool has_begun(std::uint32_t rank) const { return started_[rank]; }

  /// Whether the rank's end was reported.
  bool has_ended(std::uint32_t rank) const { return ended_[rank]; }

  /// Records a rank's end. Returns a failure if the rank failed by itself. Throws protocol::Error if its end
  /// was reported before, or has an impossible exit code or signal.
  std::optional<Failure> end(const protocol::Exited& exited);

  /// A rank has called MPI_Abort: it counts as failed, however it exits.
  Failure abort(const protocol::Abort& abort);

  /// A rank has joined MPI; returns false if that was known, or if it does not run.
  bool join(const protocol::Joined& joined);

  /// So many bytes of a rank's output have arrived.
  void add_output(std::uint32_t rank, std::size_t bytes) { output_bytes_[rank] += bytes; }

  /// How many bytes have arrived of all processes that the rank has had.
  std::uint64_t output_bytes(std::uint32_t rank) const { return output_bytes_[rank]; }

  /// The ranks that ran on `node` are lost.
  void lose(std::uint32_t node);

  /// Keeps when its ranks ended by the launcher's clock: another node gets its place, with a clock of its
  /// own.
  void note_times(std::uint32_t node, const NodeClock& clock);

  /// The job continues without this rank, which has ended, or starts it again: it cannot join the others in
  /// MPI.
  void bar_from_mpi(std::uint32_t rank);

  /// Whether a rank other than this one is in MPI.
  bool any_in_mpi_beside(std::uint32_t rank) const;

  /// The failure of a rank that others wait for in MPI, and that will not join them: it exited 0 without
  /// joining, or is barred. MPI_Init returns only after all ranks of the world have called it. A rank that
  /// exited 0 is marked as failed.
  std::optional<Failure> missed_in_mpi();

  /// The failure of a rank whose end was never reported; for when all nodes are gone. Not of an excused one.
  std::optional<Failure> silent_end(const std::function<bool(std::uint32_t)>& is_excused) const;

  /// The failure of a job of which no rank ended well, though it continued without each that failed: that of
  /// the lowest one; for when all nodes are gone. Nothing where none failed.
  std::optional<Failure> none_ended_well() const;

  /// The records, each with the rank's end by the launcher's clock. `clocks` has one per node.
  std::vector<RankRecord> timed(const std::vector<NodeClock>& clocks) const;

  /// One line for each rank that did not join MPI though others did: built against another MPI, or without
  /// MPI_Init, it ran alone.
  std::vector<std::string> singletons() const;

 private:
  const Plan& plan_;
  std::vector<RankRecord> records_;
  std::vector<bool> started_;                ///< Whether its start was reported.
  std::vector<bool> ended_;                  ///< Whether its end was reported.
  std::vector<std::uint64_t> output_bytes_;  ///< By rank.
  std::size_t in_mpi_ = 0;                   ///< Ranks that have joined MPI and still run.
  std::optional<std::uint32_t> stayed_out_;  ///< A rank that exited 0 and had not joined MPI,
  std::optional<std::uint32_t> barred_;      ///< or that is barred from it.
};

}  // namespace adarun::launcher
