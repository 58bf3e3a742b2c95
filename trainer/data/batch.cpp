// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/batch.h"

#include <array>

namespace adarun::trainer {
namespace {

std::array<float, 256> make_levels() {
  std::array<float, 256> levels{};
  for (std::size_t value = 0; value < levels.size(); ++value) {
    levels[value] = static_cast<float>((static_cast<double>(value) / 255.0 - 0.1307) / 0.3081);
  }
  return levels;
}

}  // namespace

void fill(Batch& batch, const Dataset& dataset, std::span<const std::uint32_t> indices, int side) {
  static const std::array<float, 256> levels = make_levels();
  const auto stride = static_cast<std::size_t>(side);
  const std::size_t margin = (stride - image_side) / 2;
  batch.side = side;
  batch.labels.resize(indices.size());
  batch.images.assign(indices.size() * stride * stride, levels[0]);
  std::array<std::uint8_t, image_pixels> pixels;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    batch.labels[i] = dataset.label(indices[i]);
    dataset.image(indices[i], pixels);
    float* const corner = batch.images.data() + (i * stride + margin) * stride + margin;
    for (std::size_t p = 0; p < image_pixels; ++p) {
      corner[p / image_side * stride + p % image_side] = levels[pixels[p]];
    }
  }
}

}  // namespace adarun::trainer
