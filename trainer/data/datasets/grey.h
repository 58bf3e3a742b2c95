// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer {

/// Rows and columns of grey images, in pixels.
inline constexpr int image_side = 28;
inline constexpr std::size_t image_pixels = std::size_t{image_side} * image_side;

/// Grey images of 28x28 pixels in ten classes. Pixels become (value / 255 - 0.1307) / 0.3081, with MNIST's
/// mean and deviation. A larger view centres the image in a black square (an odd extra pixel is at the right
/// and bottom); a smaller one crops it.
class Grey : public Dataset {
 public:
  int classes() const override { return 10; }
  int channels() const override { return 1; }
  Image picture(std::size_t index) const override;
  void sample(std::size_t index, const View& view, std::span<float> values) const override;

  /// Writes image `index` row by row, 0 black to 255 white. pixels.size() == image_pixels.
  virtual void image(std::size_t index, std::span<std::uint8_t> pixels) const = 0;
};

}  // namespace adarun::trainer
