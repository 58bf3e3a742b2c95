// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "trainer/base/random.h"

namespace adarun::trainer {
namespace {

constexpr int glyph_columns = 5;
constexpr int glyph_rows = 7;

constexpr std::array<std::string_view, 10> glyphs = {
    " ### "
    "#   #"
    "#   #"
    "#   #"
    "#   #"
    "#   #"
    " ### ",
    "  #  "
    " ##  "
    "# #  "
    "  #  "
    "  #  "
    "  #  "
    "#####",
    " ### "
    "#   #"
    "    #"
    "   # "
    "  #  "
    " #   "
    "#####",
    " ### "
    "#   #"
    "    #"
    "  ## "
    "    #"
    "#   #"
    " ### ",
    "   # "
    "  ## "
    " # # "
    "#  # "
    "#####"
    "   # "
    "   # ",
    "#####"
    "#    "
    "#### "
    "    #"
    "    #"
    "#   #"
    " ### ",
    " ### "
    "#    "
    "#    "
    "#### "
    "#   #"
    "#   #"
    " ### ",
    "#####"
    "    #"
    "   # "
    "   # "
    "  #  "
    "  #  "
    "  #  ",
    " ### "
    "#   #"
    "#   #"
    " ### "
    "#   #"
    "#   #"
    " ### ",
    " ### "
    "#   #"
    "#   #"
    " ####"
    "    #"
    "    #"
    " ### "};

/// A glyph as numbers, with a border of two empty cells so that sampling near it needs no bounds checks.
constexpr int margin = 2;
constexpr int width = glyph_columns + 2 * margin;
constexpr int height = glyph_rows + 2 * margin;
using Cells = std::array<float, std::size_t{width} * height>;

constexpr std::array<Cells, 10> make_cells() {
  std::array<Cells, 10> all{};
  for (std::size_t digit = 0; digit < all.size(); ++digit) {
    for (int i = 0; i < glyph_rows * glyph_columns; ++i) {
      const int at = (i / glyph_columns + margin) * width + i % glyph_columns + margin;
      all[digit][static_cast<std::size_t>(at)] =
          glyphs[digit][static_cast<std::size_t>(i)] == '#' ? 1.0F : 0.0F;
    }
  }
  return all;
}

constexpr std::array<Cells, 10> cells = make_cells();

/// The value of the glyph at a point between cell centres, by bilinear interpolation; 0 outside.
float ink_at(const Cells& glyph, float column, float row) {
  const float c = column + margin;
  const float r = row + margin;
  if (!(c >= 0 && r >= 0 && c < width - 1 && r < height - 1)) return 0;
  const int left = static_cast<int>(c);
  const int top = static_cast<int>(r);
  const float x = c - static_cast<float>(left);
  const float y = r - static_cast<float>(top);
  const float* at = glyph.data() + top * width + left;
  return (1 - y) * ((1 - x) * at[0] + x * at[1]) + y * ((1 - x) * at[width] + x * at[width + 1]);
}

/// Maps pixels to cells: cell = centre of the glyph + matrix * (pixel - centre of the drawing).
struct Placing {
  float x, y;            // centre of the drawing, in pixels
  float xx, xy, yx, yy;  // cells per pixel
  float ink;             // brightness of a full stroke, in grey levels
};

Placing random_placing(Random& random) {
  const double angle = random.uniform(-0.26, 0.26);
  const double slant = random.uniform(-0.25, 0.25);
  const double wide = random.uniform(2.2, 3.4);  // pixels per cell
  const double high = random.uniform(2.2, 3.2);
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  Placing placing{};
  placing.xx = static_cast<float>((c + slant * s) / wide);
  placing.xy = static_cast<float>((s - slant * c) / wide);
  placing.yx = static_cast<float>(-s / high);
  placing.yy = static_cast<float>(c / high);
  placing.x = static_cast<float>(image_side / 2.0 - 0.5 + random.uniform(-3, 3));
  placing.y = static_cast<float>(image_side / 2.0 - 0.5 + random.uniform(-3, 3));
  placing.ink = static_cast<float>(random.uniform(170, 255));
  return placing;
}

Random random_of(DatasetPart part, std::uint64_t seed, std::size_t index) {
  return Random(seed, 2 * index + (part == DatasetPart::train ? 0 : 1));
}

}  // namespace

int Digits::label(std::size_t index) const {
  return static_cast<int>(random_of(part_, seed_, index).below(10));
}

void Digits::image(std::size_t index, std::span<std::uint8_t> pixels) const {
  constexpr float noise_levels = 60;
  Random random = random_of(part_, seed_, index);
  const Cells& glyph = cells[random.below(10)];
  const Placing at = random_placing(random);
  std::uint64_t noise = 0;
  for (int i = 0; i < image_side * image_side; ++i) {
    const float dx = static_cast<float>(i % image_side) - at.x;
    const float dy = static_cast<float>(i / image_side) - at.y;
    const float stroke = ink_at(glyph, (glyph_columns - 1) / 2.0F + at.xx * dx + at.xy * dy,
                                (glyph_rows - 1) / 2.0F + at.yx * dx + at.yy * dy);
    noise = i % 8 == 0 ? random.next() : noise >> 8U;
    const float grain = (static_cast<float>(noise & 0xFFU) / 255.0F - 0.5F) * noise_levels;
    const float grey = at.ink * std::min(1.0F, 1.6F * stroke) + grain;
    pixels[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(std::clamp(grey, 0.0F, 255.0F));
  }
}

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

}  // namespace adarun::trainer
