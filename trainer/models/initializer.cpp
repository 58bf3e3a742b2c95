// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/initializer.h"

#include <cmath>
#include <numbers>

namespace adarun::trainer {
namespace {

/// Box-Muller; the second number is discarded: two uniform numbers per normal one.
double standard_normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform(0, 1)));
  return radius * std::cos(2 * std::numbers::pi * random.uniform(0, 1));
}

double one(const Initializer& initial, Random& random) {
  switch (initial.kind) {
    case Initializer::Kind::constant:
      random.next();  // one number per value, so that constants do not change the values of later tensors
      return initial.size;
    case Initializer::Kind::uniform:
      return random.uniform(-initial.size, initial.size);
    case Initializer::Kind::normal:
      return initial.size * standard_normal(random);
    case Initializer::Kind::truncated_normal:
      break;
  }
  double value = standard_normal(random);
  while (std::abs(value) > 2) value = standard_normal(random);
  return initial.size * value;
}

}  // namespace

Initializer constant(double value) {
  return {Initializer::Kind::constant, value};
}

Initializer lecun_uniform(std::int64_t fan_in) {
  return {Initializer::Kind::uniform, std::sqrt(3.0 / static_cast<double>(fan_in))};
}

Initializer xavier_uniform(std::int64_t fan_in, std::int64_t fan_out) {
  return {Initializer::Kind::uniform, std::sqrt(6.0 / static_cast<double>(fan_in + fan_out))};
}

Initializer kaiming_normal(std::int64_t fan_in) {
  return {Initializer::Kind::normal, std::sqrt(2.0 / static_cast<double>(fan_in))};
}

Initializer truncated_normal(double deviation) {
  return {Initializer::Kind::truncated_normal, deviation};
}

void draw(const Initializer& initial, Random& random, std::span<float> values) {
  for (float& value : values) value = static_cast<float>(one(initial, random));
}

}  // namespace adarun::trainer
