// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/base/random.h"

namespace adarun::trainer {

/// Pixels, 0 to 255, row by row, with the channels of a pixel next to each other.
struct Image {
  int rows = 0;
  int columns = 0;
  int channels = 1;
  std::vector<std::uint8_t> pixels;

  /// All black.
  static Image black(int rows, int columns, int channels);

  std::uint8_t& at(int row, int column, int channel);
  std::uint8_t at(int row, int column, int channel) const;
  bool operator==(const Image&) const = default;
};

/// Files with more pixels than this are not decoded: a small file can claim any number.
constexpr std::uint64_t most_pixels = 1U << 28U;
constexpr const char* too_many_pixels = "more than 268435456 pixels";

/// Rows and columns of an image.
struct ImageSize {
  int rows = 0;
  int columns = 0;
};

/// A part of an image, in pixels; may be fractional.
struct CropBox {
  double top = 0;
  double left = 0;
  double rows = 0;
  double columns = 0;
};

/// The part `box` of `image`, resampled to rows x columns: bilinear; when shrinking, averaged over the area
/// that a pixel covers. First down, then across: the first runs over whole lines, which vectorizes.
Image resample(const Image& image, const CropBox& box, int rows, int columns);

/// A random part for training: 8 to 100 % of the area, an aspect ratio (columns to rows) of 3/4 to 4/3, whole
/// pixels (Szegedy et al., "Going Deeper with Convolutions", 2015). After ten attempts that do not fit, the
/// middle.
CropBox random_part(const ImageSize& image, Random& random);

/// The square in the middle for evaluation, 7/8 of the shorter side: 224 pixels if that side has 256.
CropBox middle_part(const ImageSize& image);

/// The conversion of the pixels of each channel: (value / 255 - mean) / deviation.
struct Normalization {
  std::array<double, 3> mean;
  std::array<double, 3> deviation;
};

enum class Mirrored { no, yes };

/// Writes `image`, mirrored left to right or not, as (channels, rows, columns).
void write_normalized(const Image& image, Mirrored mirrored, const Normalization& by,
                      std::span<float> values);

}  // namespace adarun::trainer
