// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "trainer/data/batch.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"

namespace adarun::trainer {

/// Forward and backward: the loss of `batch`, with its gradient in weights.gradients() (what was there is
/// overwritten). See cross_entropy() for `label_smoothing`.
float compute_gradients(const Model& model, Weights& weights, const Batch& batch, double label_smoothing);

/// Forward only: how many images of `batch` have their highest score at their label.
std::size_t count_correct(const Model& model, const Weights& weights, const Batch& batch);

}  // namespace adarun::trainer
