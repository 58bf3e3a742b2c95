// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trainer/data/datasets/mnist.h"

namespace adarun::trainer {

/// Digits that the program draws: 5x7 glyphs, randomly shifted, rotated, slanted and scaled, with noise.
///
/// Sample `index` depends only on (seed, part, index). Nothing is stored: an image is drawn on each request,
/// in about ten microseconds, so a rank draws only its own shard.
class Digits : public GrayscaleDataset {
 public:
  static constexpr std::size_t train_size = 16384;
  static constexpr std::size_t test_size = 2048;

  Digits(DatasetPart part, std::uint64_t seed) : part_(part), seed_(seed) {}

  std::size_t size() const override { return part_ == DatasetPart::train ? train_size : test_size; }
  int label(std::size_t index) const override;
  void image(std::size_t index, std::span<std::uint8_t> pixels) const override;

 private:
  DatasetPart part_;
  std::uint64_t seed_;
};

/// The built-in digits in random colours on a random background: small sets of colour images for tests and
/// examples. The same seed gives the same images.
class ColourDigits : public Dataset {
 public:
  /// `count` images of `side` x `side` pixels; if `varied`, rows and columns are each 3/4 to 3/2 of `side`.
  ColourDigits(DatasetPart part, std::uint64_t seed, std::size_t count, int side, bool varied)
      : part_(part), seed_(seed), count_(count), side_(side), varied_(varied), digits_(part, seed) {}

  std::size_t size() const override { return count_; }
  int classes() const override { return 10; }
  int channels() const override { return 3; }
  int label(std::size_t index) const override { return digits_.label(index); }
  Image picture(std::size_t index) const override;
  void sample(std::size_t index, const View& view, std::span<float> values) const override;

 private:
  DatasetPart part_;
  std::uint64_t seed_;
  std::size_t count_;
  int side_;
  bool varied_;
  Digits digits_;
};

}  // namespace adarun::trainer
