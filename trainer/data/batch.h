// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer {

/// Images and labels as a model takes them.
struct Batch {
  std::vector<float> images;         ///< (size, channels, side, side), normalized.
  std::vector<std::int64_t> labels;  ///< (size)
  int channels = 0;
  int side = 0;

  std::size_t size() const { return labels.size(); }

  /// Makes room for `size` images of `dataset`; what they hold is undefined.
  void resize(std::size_t size, const Dataset& dataset, int side);

  /// The values of image `i`.
  std::span<float> image(std::size_t i);
};

/// Makes `batch` the samples `indices` of `dataset` as they are, of side x side pixels, reusing its memory.
void fill(Batch& batch, const Dataset& dataset, std::span<const std::uint32_t> indices, int side);

}  // namespace adarun::trainer
