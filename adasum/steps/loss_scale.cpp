// SPDX-License-Identifier: Apache-2.0
#include "adasum/steps/loss_scale.h"

#include <algorithm>

namespace adasum {
namespace {

constexpr std::int64_t window = 2000;
constexpr double highest = 0x1p60;

}  // namespace

void LossScale::taken() {
  if (!options_.dynamic || ++taken_ < window) return;
  taken_ = 0;
  value_ = std::min(highest, 2 * value_);
}

void LossScale::dropped() {
  taken_ = 0;
  if (options_.dynamic) value_ = std::max(1.0, value_ / 2);
}

void LossScale::restore(double value, std::int64_t taken_in_a_row) {
  value_ = value;
  taken_ = taken_in_a_row;
}

}  // namespace adasum
