// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "trainer/base/precision.h"
#include "trainer/data/batch.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"

namespace adarun::trainer {

/// How a batch goes through a model.
struct PassOptions {
  double label_smoothing = 0;  ///< See cross_entropy().
  int micro_batches =
      1;  ///< Goes through in so many equal parts, one after the other; divides the batch's size.
  Precision precision = Precision::float32;  ///< Of the layers; scores and what is made of them are float.
};

/// Forward and backward: gives the loss of `batch`, the mean over its images, and adds the gradient of that
/// times `scale` to weights.gradients().
float add_gradients(const Model& model, Weights& weights, const Batch& batch, const PassOptions& options,
                    double scale = 1);

/// Forward only, in float: how many images of `batch` have their highest score at their label.
std::size_t count_correct(const Model& model, const Weights& weights, const Batch& batch);

}  // namespace adarun::trainer
