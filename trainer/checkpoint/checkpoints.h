// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/checkpoint/file.h"
#include "trainer/checkpoint/latest.h"

namespace adarun::trainer {

/// Whose state a checkpoint holds: one state that all ranks have, one of each rank, or one for all ranks that
/// rank 0 alone has (with the same files as `shared`).
enum class Ownership { shared, own, first };

/// Which existing checkpoints of its folder a run may resume from: none, those of its job, or any.
enum class Resume { never, of_job, always };
struct ResumePolicy {
  Resume resume = Resume::never;
  std::string job_id = {};  ///< The launcher's job, the same for all its restarts; empty: unknown.
};

/// Where a training resumes, and notes about that for the user, one line each.
struct LoadedCheckpoint {
  CheckpointState state;
  std::vector<std::string> notes;
};

/// The checkpoints of one run, in a folder that no other run uses and that the ranks share or have on local
/// disks. Rank r writes `step_<steps>.rank_<r>`; unless each has its own state, only rank 0 writes. When all
/// ranks have written, rank 0 writes to `latest` which checkpoints are good: the two newest. Each run has an
/// id, which is in all its files: the launcher's job, else a random one; a resumed run keeps the id.
class Checkpoints {
 public:
  /// Creates `folder`. `identity` has no run id yet. The newest `keep` (at least 2) of the run are kept.
  /// `communicator` must outlive it. Throws Error.
  Checkpoints(std::filesystem::path folder, RunIdentity identity, Ownership ownership,
              adasum::Communicator& communicator, int keep = 2);

  /// Call this first. Reads the latest checkpoint into `values`, the same on every rank if the state is
  /// shared, empty on those that have none; returns nothing if there is none. If it is damaged on some rank,
  /// all ranks read the one before it. Collective. Throws Error if none can be read, if it is of another job,
  /// and (refused) if `policy` does not allow it.
  std::optional<LoadedCheckpoint> begin(const ResumePolicy& policy,
                                        const std::vector<std::span<float>>& values);

  /// Writes `values` as those of `state`, `steps` steps after the start. Collective; all arguments except
  /// `values` are the same on every rank. Throws Error if this rank cannot write, or if another run has begun
  /// to write here.
  void save(const CheckpointState& state, std::int64_t steps,
            const std::vector<std::span<const float>>& values);

 private:
  std::filesystem::path file_of(std::int64_t steps) const;
  bool writes() const { return ownership_ == Ownership::own || communicator_.rank() == 0; }
  void refuse_other_run() const;
  std::optional<Latest> latest_for(const ResumePolicy& policy);
  LoadedCheckpoint load(const Latest& latest, const std::vector<std::span<float>>& values);
  std::string read(std::int64_t steps, CheckpointHeader& contents,
                   const std::vector<std::span<float>>& values);
  void share(CheckpointState& state, const std::vector<std::span<float>>& values);
  void drop_old() const;

  std::filesystem::path folder_;
  RunIdentity identity_;
  Ownership ownership_;
  adasum::Communicator& communicator_;
  int keep_;
  std::vector<std::int64_t> good_;  // steps, as in Latest
  bool is_listed_ = true;           // `latest` on disk matches good_
};

}  // namespace adarun::trainer
