// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/checkpoint/file.h"
#include "trainer/checkpoint/latest.h"

namespace adarun::trainer {

/// Whose state a checkpoint holds: one state that all ranks have, one of each rank, one of each rank that but
/// for statistics and a shard of the optimizer's state is the same on all (read_shards()), or one for all
/// ranks that rank 0 alone has (with the same files as `shared`).
enum class Ownership { shared, own, sharded, first };

/// Which existing checkpoints of its folder a run may resume from: none, those of its job, or any.
enum class Resume { never, of_job, always };
struct ResumePolicy {
  Resume resume = Resume::never;
  std::string job_id = {};  ///< The launcher's job, the same for all its restarts; empty: unknown.
};

/// Where a training resumes, and notes about that for the user, one line each.
struct LoadedCheckpoint {
  CheckpointState state;
  std::int64_t steps = 0;  ///< From the start of the training to the checkpoint.
  int ranks = 1;           ///< How many ranks wrote it.
  std::vector<std::string> notes;
};

/// The checkpoints of one run, in a folder that no other run uses and that the ranks share or have on local
/// disks. Rank r writes `step_<steps>.rank_<r>`; unless each has a state or a shard, only rank 0 writes. When
/// all ranks have written, rank 0 writes to `latest` which checkpoints are good: the two newest. Each run has
/// an id, which is in all its files: the launcher's job, else a random one; a resumed run keeps the id. Each
/// start of a run has another id, in `latest`: where a run was started again and has written here, the start
/// before it ends.
class Checkpoints {
 public:
  /// Creates `folder`. `identity` has no run id yet. The newest `keep` (at least 2) of the run are kept.
  /// `communicator` must outlive it. Throws Error, also if `folder` is another user's or any user may write
  /// there (base::OutputFolder).
  Checkpoints(std::filesystem::path folder, RunIdentity identity, Ownership ownership,
              adasum::Communicator& communicator, int keep = 2);

  /// Room for the values of a checkpoint that `ranks` ranks wrote: the same on every rank if the state is
  /// shared, but for the second of them, statistics, which are read on rank 0 alone; as for read_shards() if
  /// it is sharded and `ranks` are not as many as there are now; empty on ranks that have none.
  using Room = std::function<std::vector<std::span<float>>(int ranks)>;

  /// Call this first. Reads the latest checkpoint into `room`; returns nothing if there is none. If it is
  /// damaged on some rank, all ranks read the one before it. It may be of another number of ranks, unless
  /// each has its own state. Collective. Throws Error if none can be read, if it is of another job, and
  /// (refused) if `policy` does not allow it, or if its ranks' own states are not for this number of ranks.
  std::optional<LoadedCheckpoint> begin(const ResumePolicy& policy, const Room& room);

  /// Instead of begin(), for a training that continues with other ranks from what they have in memory: it is
  /// `run`, which has written here. Collective.
  void proceed(const std::string& run);

  /// Whether the checkpoint after `steps` steps is good. The same on every rank.
  bool has(std::int64_t steps) const;

  /// The id of the run, once it has begun.
  const std::string& run() const { return identity_.run; }

  /// Writes `values` as those of `state`, `steps` steps after the start. Collective; all arguments except
  /// `values` are the same on every rank. Throws Error if this rank cannot write, or if another run, or
  /// another start of this one, has begun to write here.
  void save(const CheckpointState& state, std::int64_t steps,
            const std::vector<std::span<const float>>& values);

 private:
  std::filesystem::path file_of(std::int64_t steps, int rank) const;
  std::filesystem::path own_file(std::int64_t steps) const;
  bool each_writes() const { return ownership_ == Ownership::own || ownership_ == Ownership::sharded; }
  bool writes() const { return each_writes() || communicator_.rank() == 0; }
  void take_over(const Latest& latest);
  Latest latest() const { return {identity_.run, good_, writer_}; }
  void refuse_other_run() const;
  std::optional<Latest> latest_for(const ResumePolicy& policy);
  LoadedCheckpoint load(const Latest& latest, const Room& room);
  LoadedCheckpoint load_step(std::int64_t steps, const Room& room);
  Writers writers(std::int64_t steps) const;
  RunIdentity identity_of(int ranks) const;
  void refuse_states_of(int ranks, std::int64_t steps) const;
  std::string read(std::int64_t steps, int ranks, CheckpointHeader& contents,
                   const std::vector<std::span<float>>& values);
  void share(CheckpointState& state, const std::vector<std::span<float>>& values);
  void drop_old() const;
  void drop_old_of_rank(std::vector<std::filesystem::path> files) const;

  std::filesystem::path folder_;
  RunIdentity identity_;
  Ownership ownership_;
  adasum::Communicator& communicator_;
  int keep_;
  std::string writer_;
  std::string writer_before_;       // of `latest` until the first save()
  std::vector<std::int64_t> good_;  // steps, as in Latest
  bool is_listed_ = true;           // `latest` on disk is latest(), or is none
};

}  // namespace adarun::trainer
