// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

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

}  // namespace adarun::trainer
