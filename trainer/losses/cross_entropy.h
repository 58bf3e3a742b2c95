// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

namespace adarun::trainer {

/// Cross entropy of `scores` (batch, classes) with `labels` (batch), averaged over the batch, as a scalar
/// that supports backward():
///   -mean_i sum_c target_ic log softmax(scores_i)_c
/// target is 1 - smoothing for the label and smoothing / (classes - 1) for each other class; smoothing 0 is
/// the plain cross entropy.
torch::Tensor cross_entropy(const torch::Tensor& scores, const torch::Tensor& labels, double smoothing);

}  // namespace adarun::trainer
