// SPDX-License-Identifier: Apache-2.0
#include "trainer/data_tools/colour_digits.h"

#include <array>

namespace adarun::trainer::data_tools {
namespace {

using Colour = std::array<double, 3>;

Colour colour(Random& random, double low, double high) {
  return {random.uniform(low, high), random.uniform(low, high), random.uniform(low, high)};
}

}  // namespace

Image ColourDigits::picture(std::size_t index) const {
  // Streams that drawing the digits does not use.
  Random random(seed_, (std::uint64_t{1} << 61U) + 2 * index + (part_ == DatasetPart::train ? 0 : 1));
  const Colour paper = colour(random, 0, 110);
  const Colour ink = colour(random, 120, 255);
  const auto length = [&] { return varied_ ? static_cast<int>(side_ * random.uniform(0.75, 1.5)) : side_; };
  const int rows = length();
  const int columns = length();
  const Image grey = resample(digits_.picture(index), {0, 0, image_side, image_side}, rows, columns);
  Image image = Image::black(rows, columns, 3);
  for (std::size_t p = 0; p < grey.pixels.size(); ++p) {
    const double part = grey.pixels[p] / 255.0;
    for (std::size_t c = 0; c < 3; ++c) {
      image.pixels[3 * p + c] = static_cast<std::uint8_t>(paper[c] + part * (ink[c] - paper[c]));
    }
  }
  return image;
}

void ColourDigits::sample(std::size_t index, const View& view, std::span<float> values) const {
  const Image image = picture(index);
  const CropBox all{0, 0, double(image.rows), double(image.columns)};
  write_normalized(resample(image, all, view.side, view.side), Mirrored::no,
                   {{0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}}, values);
}

}  // namespace adarun::trainer::data_tools
