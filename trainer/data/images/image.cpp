// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/images/image.h"

#include <algorithm>
#include <cmath>

namespace adarun::trainer {
namespace {

/// Which pixels of a line contribute to one pixel of the result, and their weights.
struct Taps {
  int first = 0;
  std::vector<float> shares;  // they add up to 1
};

/// The taps of each of `count` pixels that together cover [begin, begin + length) of a line of `size` pixels.
std::vector<Taps> taps_of(double begin, double length, int count, int size) {
  const double scale = length / count;
  const double reach = std::max(1.0, scale);
  std::vector<Taps> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Taps& taps = all[static_cast<std::size_t>(i)];
    const double centre = begin + (i + 0.5) * scale;
    taps.first = std::clamp(static_cast<int>(std::floor(centre - reach + 0.5)), 0, size - 1);
    const int end = std::clamp(static_cast<int>(std::floor(centre + reach + 0.5)), taps.first + 1, size);
    double sum = 0;
    for (int at = taps.first; at < end; ++at) {
      const double share = std::max(1e-6, 1 - std::abs(at + 0.5 - centre) / reach);
      taps.shares.push_back(static_cast<float>(share));
      sum += share;
    }
    for (float& share : taps.shares) share /= static_cast<float>(sum);
  }
  return all;
}

/// Adds `share` times the pixels to the values of a line.
void add_line(std::span<float> line, const std::uint8_t* pixels, float share) {
  float* const to = line.data();
  for (std::size_t i = 0; i < line.size(); ++i) to[i] += share * static_cast<float>(pixels[i]);
}

/// Writes the sum of pixels times `shares`, rounded; returns where the next pixel goes.
std::uint8_t* write_pixel(const std::vector<float>& shares, const float* from, std::size_t channels,
                          std::uint8_t* to) {
  for (std::size_t channel = 0; channel < channels; ++channel) {
    float sum = 0.5F;  // rounds to nearest
    for (std::size_t t = 0; t < shares.size(); ++t) sum += shares[t] * from[t * channels + channel];
    *to++ = static_cast<std::uint8_t>(std::clamp(sum, 0.0F, 255.0F));
  }
  return to;
}

}  // namespace

Image Image::black(int rows, int columns, int channels) {
  const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  return {rows, columns, channels, std::vector<std::uint8_t>(size * static_cast<std::size_t>(channels))};
}

std::uint8_t& Image::at(int row, int column, int channel) {
  return pixels[(static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                 static_cast<std::size_t>(column)) *
                    static_cast<std::size_t>(channels) +
                static_cast<std::size_t>(channel)];
}

std::uint8_t Image::at(int row, int column, int channel) const {
  return const_cast<Image*>(this)->at(row, column, channel);
}

Image resample(const Image& image, const CropBox& box, int rows, int columns) {
  const std::vector<Taps> across = taps_of(box.left, box.columns, columns, image.columns);
  const std::vector<Taps> down = taps_of(box.top, box.rows, rows, image.rows);
  const auto channels = static_cast<std::size_t>(image.channels);
  const auto left = static_cast<std::size_t>(across.front().first);
  const std::size_t right = static_cast<std::size_t>(across.back().first) + across.back().shares.size();
  std::vector<float> line((right - left) * channels);
  Image result = Image::black(rows, columns, image.channels);
  std::uint8_t* to = result.pixels.data();
  for (const Taps& taps : down) {
    std::ranges::fill(line, 0.0F);
    for (std::size_t t = 0; t < taps.shares.size(); ++t) {
      const std::size_t row = static_cast<std::size_t>(taps.first) + t;
      add_line(line, image.pixels.data() + (row * static_cast<std::size_t>(image.columns) + left) * channels,
               taps.shares[t]);
    }
    for (const Taps& of : across) {
      const float* from = line.data() + (static_cast<std::size_t>(of.first) - left) * channels;
      to = write_pixel(of.shares, from, channels, to);
    }
  }
  return result;
}

CropBox random_part(const ImageSize& image, Random& random) {
  const double area = double(image.rows) * image.columns;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double wanted = area * random.uniform(0.08, 1);
    const double ratio = std::exp(random.uniform(std::log(3.0 / 4), std::log(4.0 / 3)));
    const double columns = std::round(std::sqrt(wanted * ratio));
    const double rows = std::round(std::sqrt(wanted / ratio));
    if (columns < 1 || rows < 1 || columns > image.columns || rows > image.rows) continue;
    const auto top = random.below(static_cast<std::uint32_t>(image.rows - static_cast<int>(rows) + 1));
    const auto left = random.below(static_cast<std::uint32_t>(image.columns - static_cast<int>(columns) + 1));
    return {double(top), double(left), rows, columns};
  }
  const double rows = std::min<double>(image.rows, std::round(image.columns * 4.0 / 3));
  const double columns = std::min<double>(image.columns, std::round(image.rows * 4.0 / 3));
  return {(image.rows - rows) / 2, (image.columns - columns) / 2, rows, columns};
}

CropBox middle_part(const ImageSize& image) {
  const double side = std::min(image.rows, image.columns) * 224.0 / 256;
  return {(image.rows - side) / 2, (image.columns - side) / 2, side, side};
}

void write_normalized(const Image& image, Mirrored mirrored, const Normalization& by,
                      std::span<float> values) {
  float* to = values.data();
  for (int channel = 0; channel < image.channels; ++channel) {
    const auto c = static_cast<std::size_t>(channel);
    std::array<float, 256> levels{};
    for (std::size_t value = 0; value < levels.size(); ++value) {
      levels[value] = static_cast<float>((static_cast<double>(value) / 255.0 - by.mean[c]) / by.deviation[c]);
    }
    for (int row = 0; row < image.rows; ++row) {
      for (int column = 0; column < image.columns; ++column) {
        const int from = mirrored == Mirrored::yes ? image.columns - 1 - column : column;
        *to++ = levels[image.at(row, from, channel)];
      }
    }
  }
}

}  // namespace adarun::trainer
