// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "adasum/communicators/communicator.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {

/// A change of layout of the result of a layer with so many channels.
struct LayoutChange {
  planner::ActivationLayout from;
  planner::ActivationLayout to;
  std::int64_t channels = 1;

  LayoutChange back() const { return {to, from, channels}; }

  /// Adjacent ranks between which values move: 1 if none do.
  std::int64_t ranks() const;
};

/// Values x (samples, channels * n, ...) of this rank in layout `to`; they are given in layout `from`. All
/// replicas have as many samples, in both layouts. `group`: change.ranks() adjacent ranks, among them `rank`
/// of the world. Collective over them: the messages of planner::outgoing().
torch::Tensor change_layout(const torch::Tensor& x, const LayoutChange& change, std::int64_t rank,
                            adasum::Communicator& group);

/// The sum of x over the ranks of `group`, the same bits on each: float, summed in double in the order of
/// ranks. Each rank sends two messages to each other (planner::direct_allreduce). Collective.
torch::Tensor sum_over_ranks(const torch::Tensor& x, adasum::Communicator& group);

}  // namespace adarun::trainer
