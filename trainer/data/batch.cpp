// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/batch.h"

namespace adarun::trainer {

void Batch::resize(std::size_t size, const Dataset& dataset, int new_side) {
  channels = dataset.channels();
  side = new_side;
  labels.resize(size);
  images.resize(size * image(0).size());
}

std::span<float> Batch::image(std::size_t i) {
  const auto rows = static_cast<std::size_t>(side);
  const std::size_t size = static_cast<std::size_t>(channels) * rows * rows;
  return {images.data() + i * size, size};
}

void fill(Batch& batch, const Dataset& dataset, std::span<const std::uint32_t> indices, int side) {
  batch.resize(indices.size(), dataset, side);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    dataset.sample(indices[i], {side}, batch.image(i));
    batch.labels[i] = dataset.label(indices[i]);
  }
}

}  // namespace adarun::trainer
