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

/// Whose state a checkpoint holds: all ranks have the same one, or each has its own.
enum class Ownership { shared, own };

/// Which checkpoints a run may go on from, where its folder has some.
enum class Resume { never, of_job, always };
struct ResumePolicy {
  Resume resume = Resume::never;
  std::string job_id = {};  ///< The launcher's job, however often it has started it; empty: not known.
};

/// Where a training goes on from, and what is to be said of that: a line each.
struct LoadedCheckpoint {
  CheckpointState state;
  std::vector<std::string> notes;
};

/// The checkpoints of a run in a folder that is this run's alone, and which each rank sees or has on its own
/// disk. Rank r writes `step_<steps>.rank_<r>`, only rank 0 where the state is shared; once all have, rank 0
/// writes which ones are good to `latest`. The two newest are kept. A run has an id, which is in all its
/// files: the launcher's job, else drawn; who goes on from a checkpoint goes on with its id.
class Checkpoints {
 public:
  /// Makes `folder`. `identity` has no run yet. `communicator` outlives it. Throws Error.
  Checkpoints(std::filesystem::path folder, RunIdentity identity, Ownership ownership,
              adasum::Communicator& communicator);

  /// To be called first. Reads the latest into `values`, the same on every rank where the state is shared;
  /// nothing where there is none. Where it is damaged on some rank, all ranks take the one before it.
  /// Collective. Throws Error where that cannot be, where it is of another job, and (refused) where `policy`
  /// leaves it to others.
  std::optional<LoadedCheckpoint> begin(const ResumePolicy& policy,
                                        const std::vector<std::span<float>>& values);

  /// Writes `values` as those of `state`, which is `steps` steps from the start. Collective; every rank has
  /// the same arguments, but for its own values. Throws Error where this rank cannot, and where another run
  /// has begun to write here.
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
  std::vector<std::int64_t> good_;  // steps, as in Latest
  bool is_listed_ = true;           // `latest` says what good_ does
};

}  // namespace adarun::trainer
