// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/data/dataset.h"

namespace adarun::trainer {

/// Images and labels as a model takes them.
struct Batch {
  std::vector<float> images;         ///< (size, side, side); see fill().
  std::vector<std::int64_t> labels;  ///< (size)
  int side = 0;

  std::size_t size() const { return labels.size(); }
};

/// Makes `batch` the samples `indices` of `dataset`, reusing its memory. Pixels become
/// (value / 255 - 0.1307) / 0.3081, MNIST's mean and deviation; an image stands in the middle of a black
/// square of `side` >= image_side pixels (an odd pixel more at the right and at the bottom).
void fill(Batch& batch, const Dataset& dataset, std::span<const std::uint32_t> indices, int side);

}  // namespace adarun::trainer
