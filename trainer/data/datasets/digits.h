// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trainer/data/datasets/grey.h"

namespace adarun::trainer {

/// Digits drawn by the program itself: 5x7 glyphs, randomly shifted, turned, slanted, scaled, with noise.
///
/// Sample `index` depends on (seed, part, index) alone. Nothing is kept: an image is drawn each time it is
/// asked for, in about ten microseconds, so that a rank only ever draws its own shard.
class Digits : public Grey {
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
