// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainer/options/options.h"

namespace adarun::trainer {

/// The groups of grad_freeze: group i trains the tensors from first_tensor[i] to the last one.
struct FreezeGroups {
  std::size_t chunks = 0;
  std::vector<std::size_t> first_tensor;

  /// Whether some group leaves out a tensor.
  bool freeze() const { return first_tensor.back() > 0; }

  bool operator==(const FreezeGroups&) const = default;
};

/// The `groups` groups of a model's trainable tensors, in the order of its layers. `continues` tells of each
/// tensor whether it always belongs to the chunk of the one before it (a bias, or part of a normalization).
/// Any other tensor begins a new chunk if the current one has three tensors or more. Group i begins at chunk
/// i floor(chunks / groups); with fewer chunks than groups all of them have all tensors. `groups` >= 1, and
/// there is at least one tensor.
FreezeGroups freeze_groups(const std::vector<bool>& continues, int groups);

/// The group that each round of grad_freeze trains, fixed at the start.
class FreezeSequence {
 public:
  /// At least floor(1.01 total_steps) rounds, the same from the same seed. With N groups and p the share of
  /// full steps:
  ///   periodic  floor(p (N-1) / (1-p)) rounds of group 0, then one of each of 1, 2, ... N-1; repeated
  ///   drawn     begins with group 0; then a group from 1 on, i with the probability (N-i) / (N (N-1) / 2),
  ///             whenever the share of such rounds is below 1-p, else group 0
  /// The reference draws from a generator without a seed, so that its ranks may differ.
  FreezeSequence(const GradFreezeOptions& options, std::uint64_t seed);

  /// The group of a round, from 0; after the last one the sequence begins again.
  std::size_t group(std::int64_t round) const {
    return groups_[static_cast<std::size_t>(round) % groups_.size()];
  }

  std::size_t size() const { return groups_.size(); }

 private:
  std::vector<std::uint16_t> groups_;
};

}  // namespace adarun::trainer
