// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/initial.h"

#include <cmath>
#include <numbers>

namespace adarun::trainer {
namespace {

/// Box and Muller's, of which the second number is thrown away: two uniform numbers for one normal one.
double standard_normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform(0, 1)));
  return radius * std::cos(2 * std::numbers::pi * random.uniform(0, 1));
}

double one(const Initial& initial, Random& random) {
  switch (initial.kind) {
    case Initial::Kind::constant:
      random.next();  // a number for each value, so that constants leave those of other tensors as they are
      return initial.size;
    case Initial::Kind::uniform:
      return random.uniform(-initial.size, initial.size);
    case Initial::Kind::normal:
      return initial.size * standard_normal(random);
    case Initial::Kind::truncated_normal:
      break;
  }
  double value = standard_normal(random);
  while (std::abs(value) > 2) value = standard_normal(random);
  return initial.size * value;
}

}  // namespace

Initial constant(double value) {
  return {Initial::Kind::constant, value};
}

Initial lecun_uniform(std::int64_t fan_in) {
  return {Initial::Kind::uniform, std::sqrt(3.0 / static_cast<double>(fan_in))};
}

Initial xavier_uniform(std::int64_t fan_in, std::int64_t fan_out) {
  return {Initial::Kind::uniform, std::sqrt(6.0 / static_cast<double>(fan_in + fan_out))};
}

Initial kaiming_normal(std::int64_t fan_in) {
  return {Initial::Kind::normal, std::sqrt(2.0 / static_cast<double>(fan_in))};
}

Initial truncated_normal(double deviation) {
  return {Initial::Kind::truncated_normal, deviation};
}

void draw(const Initial& initial, Random& random, std::span<float> values) {
  for (float& value : values) value = static_cast<float>(one(initial, random));
}

}  // namespace adarun::trainer
