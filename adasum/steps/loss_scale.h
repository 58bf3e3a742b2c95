// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace adasum {

struct LossScaleOptions {
  double scale = 1;  ///< At the start.
  bool dynamic = false;
  bool drop_overflow = false;  ///< A fixed one: skip steps whose gradients overflow, instead of ending.

  bool operator==(const LossScaleOptions&) const = default;
};

/// What a loss is multiplied by before the backward pass, and its gradients divided by after it, so that
/// small ones do not vanish. A dynamic scale is halved when gradients overflow, and doubled after 2,000 steps
/// in a row in which none did. Every rank does the same, so that all have the same scale.
class LossScale {
 public:
  explicit LossScale(const LossScaleOptions& options) : options_(options), value_(options.scale) {}

  double value() const { return value_; }

  /// Whether training can continue after gradients that are not finite: the step is skipped. A dynamic scale
  /// of 1 cannot be lowered further.
  bool can_drop() const { return options_.dynamic ? value_ > 1 : options_.drop_overflow; }

  /// To be called after each step: one that was taken, one that was skipped.
  void taken();
  void dropped();

  /// For checkpoints.
  std::int64_t taken_in_a_row() const { return taken_; }
  void restore(double value, std::int64_t taken_in_a_row);

 private:
  LossScaleOptions options_;
  double value_;
  std::int64_t taken_ = 0;  // in a row
};

}  // namespace adasum
