// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "trainer/planner/model/strategy.h"

namespace adarun::planner {

/// A range of samples, each with a range of its channels.
struct TensorBlock {
  IndexRange samples;
  IndexRange channels;

  bool is_empty() const { return samples.size() == 0 || channels.size() == 0; }
  bool operator==(const TensorBlock&) const = default;
};

/// A tensor of the whole batch.
struct Extent {
  std::int64_t samples = 1;  ///< A multiple of the replicas of every layout.
  std::int64_t channels = 1;

  bool operator==(const Extent&) const = default;
};

/// What `rank` holds of a tensor in this layout.
TensorBlock held(const ActivationLayout& layout, const Extent& extent, std::int64_t rank);

/// A block, in numbers of the whole tensor, and the rank at the other end.
struct Transfer {
  std::int64_t peer = 0;
  TensorBlock block;

  bool operator==(const Transfer&) const = default;
};

/// Called with a transfer.
using OnTransfer = std::function<void(std::int64_t peer, const TensorBlock& block)>;

/// What `rank` takes, and gives, where a tensor changes from one layout to another on the same ranks. Each
/// value that a rank needs comes from one rank that holds it: from itself if it can. By ascending peer, which
/// may be `rank`. What one rank gives to another is what the other takes from it. Time: incoming() that of
/// the parts of `from`, outgoing() that of the parts of both multiplied.
std::vector<Transfer> incoming(const ActivationLayout& from, const ActivationLayout& to, const Extent& extent,
                               std::int64_t rank);
void for_each_incoming(const ActivationLayout& from, const ActivationLayout& to, const Extent& extent,
                       std::int64_t rank, const OnTransfer& on_transfer);
std::vector<Transfer> outgoing(const ActivationLayout& from, const ActivationLayout& to, const Extent& extent,
                               std::int64_t rank);

}  // namespace adarun::planner
