// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer {

/// Images and labels in the form that a model takes.
struct Batch {
  std::vector<float> images;         ///< (size, channels, side, side), normalized.
  std::vector<std::int64_t> labels;  ///< (size)
  int channels = 0;
  int side = 0;

  std::size_t size() const { return labels.size(); }

  /// Resizes for `size` images of `dataset`; their values are undefined.
  void resize(std::size_t size, const Dataset& dataset, int side);

  /// The values of image `i`.
  std::span<float> image(std::size_t i);
};

/// Fills `batch` with the samples `indices` of `dataset`, not augmented, at side x side pixels. Reuses its
/// memory.
void fill(Batch& batch, const Dataset& dataset, std::span<const std::uint32_t> indices, int side);

}  // namespace adarun::trainer
