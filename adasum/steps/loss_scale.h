// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace adasum {

struct LossScaleOptions {
  double scale = 1;  ///< At the start.
  bool dynamic = false;
  bool drop_overflow = false;  ///< A fixed one: leave steps out whose gradients overflow, instead of ending.

  bool operator==(const LossScaleOptions&) const = default;
};

/// What a loss is multiplied by before the backward pass, and its gradients divided by after it, so that
/// small ones do not vanish. A dynamic scale is halved when gradients overflow, and doubled after 2,000 steps
/// in a row in which none did. Every rank does the same, so that all have the same scale.
class LossScale {
 public:
  explicit LossScale(const LossScaleOptions& options) : options_(options), value_(options.scale) {}

  double value() const { return value_; }

  /// Whether the training can go on after gradients that are not finite: the step is left out. A dynamic
  /// scale that is down at 1 has nothing left to lower.
  bool can_drop() const { return options_.dynamic ? value_ > 1 : options_.drop_overflow; }

  /// To be told of each step: one that was taken, one that was left out.
  void taken();
  void dropped();

  /// The same scale again.
  std::int64_t taken_in_a_row() const { return taken_; }
  void restore(double value, std::int64_t taken_in_a_row);

 private:
  LossScaleOptions options_;
  double value_;
  std::int64_t taken_ = 0;  // in a row
};

}  // namespace adasum
