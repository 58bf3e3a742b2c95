// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "adasum/peers.h"
#include "trainer/checkpoint/file.h"

namespace adarun::trainer {

/// Whose state a checkpoint holds: all ranks have the same one, or each has its own.
enum class Ownership { shared, own };

/// The checkpoints of a job in a folder, which each rank sees or has on its own disk. Rank r writes
/// `step_<steps>.rank_<r>`, only rank 0 where the state is shared; once all have, rank 0 writes which one is
/// good to `latest`. The two newest are kept.
class Checkpoints {
 public:
  /// Makes `folder`. `peers` outlive it. Throws Error.
  Checkpoints(std::filesystem::path folder, Facts facts, Ownership ownership, adasum::Peers& peers);

  /// Writes `values` as those of `moment`, which is `steps` steps from the start. Collective; every rank has
  /// the same arguments, but for its own values. Throws Error where this rank cannot.
  void save(const Moment& moment, std::int64_t steps, const std::vector<std::span<const float>>& values);

  /// Reads the latest into `values`, the same on every rank where the state is shared; nothing where there is
  /// none. Collective. Throws Error where it cannot be read, is torn, or of another job.
  std::optional<Moment> load(const std::vector<std::span<float>>& values);

 private:
  std::filesystem::path file_of(std::int64_t steps) const;
  void drop_old(std::int64_t newest) const;

  std::filesystem::path folder_;
  Facts facts_;
  Ownership ownership_;
  adasum::Peers& peers_;
};

}  // namespace adarun::trainer
