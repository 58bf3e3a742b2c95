// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "trainer/base/random.h"

namespace adarun::trainer {

/// The initial values of a tensor. fan_in is the inputs of one output, fan_out the outputs of one input.
struct Initializer {
  enum class Kind { constant, uniform, normal, truncated_normal };

  Kind kind = Kind::constant;
  double size = 0;  ///< The constant, the bound of uniform (+-size), or the deviation of normal.

  bool operator==(const Initializer&) const = default;
};

/// All values the same.
Initializer constant(double value);

/// Uniform in +-sqrt(3 / fan_in), a variance of 1 / fan_in (LeCun et al., "Efficient BackProp", 1998).
Initializer lecun_uniform(std::int64_t fan_in);

/// Uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010).
Initializer xavier_uniform(std::int64_t fan_in, std::int64_t fan_out);

/// Normal with a variance of 2 / fan_in (He et al., "Delving Deep into Rectifiers", 2015).
Initializer kaiming_normal(std::int64_t fan_in);

/// Normal with this deviation; values beyond two deviations are drawn again.
Initializer truncated_normal(double deviation);

/// Fills `values`; the same state of `random` gives the same numbers.
void draw(const Initializer& initial, Random& random, std::span<float> values);

}  // namespace adarun::trainer
