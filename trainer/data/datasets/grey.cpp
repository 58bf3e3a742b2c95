// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/grey.h"

#include <algorithm>
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

Image Grey::picture(std::size_t index) const {
  Image picture = Image::black(image_side, image_side, 1);
  image(index, picture.pixels);
  return picture;
}

void Grey::sample(std::size_t index, const View& view, std::span<float> values) const {
  static const std::array<float, 256> levels = make_levels();
  std::array<std::uint8_t, image_pixels> pixels;
  image(index, pixels);
  const int shift = (view.side - image_side) / 2;
  if (view.side != image_side) std::ranges::fill(values, levels[0]);
  const int begin = std::max(0, -shift);
  const int end = std::min(image_side, view.side - shift);
  for (int row = begin; row < end; ++row) {
    float* const to = values.data() + std::ptrdiff_t{row + shift} * view.side + shift;
    const std::uint8_t* const from = pixels.data() + std::ptrdiff_t{row} * image_side;
    for (int column = begin; column < end; ++column) to[column] = levels[from[column]];
  }
}

}  // namespace adarun::trainer
