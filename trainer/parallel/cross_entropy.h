// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "adasum/communicators/communicator.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {

/// Cross entropy of `scores` (batch, classes) with `labels` (batch), averaged over the batch, as a scalar
/// that supports backward():
///   -mean_i sum_c target_ic log softmax(scores_i)_c
/// target is 1 - smoothing for the label and smoothing / (classes - 1) for each other class; smoothing 0 is
/// the plain cross entropy.
torch::Tensor cross_entropy(const torch::Tensor& scores, const torch::Tensor& labels, double smoothing);

/// Class scores of which each rank of `parts` has a range: those of the other ranks are never gathered.
struct ScoreParts {
  planner::IndexRange classes;  ///< Of this rank.
  std::int64_t all = 1;         ///< Classes of all ranks.
  adasum::Communicator& parts;
};

/// cross_entropy() of scores (batch, classes of this rank), the same on every rank of `of.parts`; supports
/// backward(). Two messages of each rank to each other: for each sample its largest score, and then three
/// sums. Collective.
torch::Tensor split_cross_entropy(const torch::Tensor& scores, const torch::Tensor& labels, double smoothing,
                                  const ScoreParts& of);

/// The class with the highest score of each sample, the lowest of several: (batch), int64, the same on every
/// rank. Collective.
torch::Tensor best_class(const torch::Tensor& scores, const ScoreParts& of);

}  // namespace adarun::trainer
