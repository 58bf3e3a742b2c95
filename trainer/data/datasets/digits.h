// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trainer/data/datasets/dataset.h"

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

}  // namespace adarun::trainer
