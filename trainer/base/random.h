// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace adarun::trainer {

/// SplitMix64: the same numbers from the same seed with every standard library. Streams with different seeds
/// or stream numbers are independent.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : state_(mix(seed) + mix(~stream)) {}

  std::uint64_t next() { return mix(state_ += 0x9E3779B97F4A7C15U); }

  /// Uniform in [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11U) * 0x1p-53);
  }

  /// Uniform in [0, bound); bound < 2^32.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32U) * std::uint64_t{bound}) >> 32U);
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace adarun::trainer
