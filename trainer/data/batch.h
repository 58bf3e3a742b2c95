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
  void resize(std::size_t size, const Dataset& dataset, int new_side) {
    channels = dataset.channels();
    side = new_side;
    labels.resize(size);
    images.resize(size * image(0).size());
  }

  /// The values of image `i`.
  std::span<float> image(std::size_t i) {
    const auto rows = static_cast<std::size_t>(side);
    const std::size_t size = static_cast<std::size_t>(channels) * rows * rows;
    return {images.data() + i * size, size};
  }
};

/// Fills `batch` with the samples `indices` of `dataset`, not augmented, at side x side pixels. Reuses its
/// memory.
inline void fill(Batch& batch, const Dataset& dataset, std::span<const std::uint32_t> indices, int side) {
  batch.resize(indices.size(), dataset, side);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    dataset.sample(indices[i], {side}, batch.image(i));
    batch.labels[i] = dataset.label(indices[i]);
  }
}

}  // namespace adarun::trainer
