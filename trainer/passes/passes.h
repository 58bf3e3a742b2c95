// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "trainer/data/batch.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"
#include "trainer/options/options.h"
#include "trainer/parallel/split_run.h"

namespace adarun::trainer {

/// Options for the passes of a batch through a model.
struct PassOptions {
  double label_smoothing = 0;  ///< See cross_entropy().
  /// The number of equal parts that are processed one after the other; divides the batch's size.
  int micro_batches = 1;
  Precision precision = Precision::float32;  ///< Of the layers; scores and the loss are float.
  /// Where layers are split over ranks: passes are then collective over all ranks, which have as many images.
  SplitRun* split = nullptr;
};

/// Forward and backward: returns the loss of `batch`, the mean over its images, and adds its gradient times
/// `scale` to weights.gradients().
float add_gradients(const Model& model, Weights& weights, const Batch& batch, const PassOptions& options,
                    double scale = 1);

/// Forward only: the loss that add_gradients() would return, which changes nothing.
double loss_of(const Model& model, const Weights& weights, const Batch& batch, const PassOptions& options);

/// Forward only, in float: the number of images of `batch` whose highest score is that of their label. With
/// `split`, one rank of each replica counts, and the others return 0.
std::size_t count_correct(const Model& model, const Weights& weights, const Batch& batch,
                          SplitRun* split = nullptr);

}  // namespace adarun::trainer
