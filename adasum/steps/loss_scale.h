// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace adasum {

struct LossScaleOptions {
  double scale = 1;  ///< The initial scale.
  bool dynamic = false;
  /// Skip steps whose gradients overflow, instead of ending, if the scale is fixed or cannot be lowered.
  bool drop_overflow = false;

  bool operator==(const LossScaleOptions&) const = default;
};

/// The loss is multiplied by this scale before the backward pass, and its gradients are divided by it
/// afterwards, so that small gradients do not underflow. A dynamic scale is halved when gradients overflow,
/// and doubled after 2,000 consecutive steps without overflow. Every rank makes the same calls, so all have
/// the same scale.
class LossScale {
 public:
  explicit LossScale(const LossScaleOptions& options) : options_(options), value_(options.scale) {}

  double value() const { return value_; }

  /// Whether training can continue after gradients that are not finite: the step is then skipped. A dynamic
  /// scale of 1 cannot be lowered further.
  bool can_drop() const { return options_.drop_overflow || (options_.dynamic && value_ > 1); }

  /// Call one of these after each step: taken() or, if it was skipped, dropped().
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
