// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "adasum/diagnostics.h"

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

/// The same on every rank.
struct StepOptions {
  int local_steps = 1;  ///< Each rank takes this many steps before ranks combine: accumulation.
  LossScaleOptions loss_scale = {};
};

/// Whether a step is the last one, for example of an epoch. Ranks always combine after the last one.
enum class StepPosition { inside, last };

/// One rank's steps in a training of all ranks, independent of how gradients are computed and of the
/// optimizer:
///
///   const double scale = steps.begin();
///   ... the backward pass of scale * loss adds to the gradients ...
///   if (const auto rank = steps.end([&] { optimizer.step(rate); })) { /* rank *rank overflowed: skipped */ }
///
/// GradientSteps and DeltaSteps differ in what is combined. Ranks take `local_steps` consecutive steps
/// without communication. In both classes, gradients with NaN or an infinity on any rank change no weight on
/// any rank.
///
/// T is float or double. One thread.
template <typename T>
class Steps {
 public:
  /// Updates the weights from the gradients in memory.
  using Optimizer = std::function<void()>;

  virtual ~Steps() = default;
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  /// Returns the factor for the loss of this step. Clears the gradients if a new accumulation begins.
  double begin();

  /// Combines and calls the optimizer, which sees the gradients divided by the loss scale. Returns the lowest
  /// rank whose gradients (or weights, for deltas) are not finite, the same on every rank: these local steps
  /// are then undone on every rank. Collective at every local_steps-th call, and if `position` is the last.
  /// The other calls return nothing; they are collective only over this rank's group, and only for deltas of
  /// an engine with groups.
  std::optional<int> end(const Optimizer& optimizer, StepPosition position = StepPosition::inside);

  /// Call this when end() returned a rank: lowers the loss scale if possible, and returns whether training
  /// can continue.
  bool drop();

  /// Whether every local step of every rank has been combined.
  bool is_together() const { return local_ == 0; }

  LossScale& loss_scale() { return scale_; }

  /// As for Plan, for the last combination; empty if it was not by AdaSum.
  virtual std::vector<TensorDiagnostics> diagnostics() const { return {}; }

 protected:
  /// Which local step it is, from 1, and whether ranks combine after it.
  struct Local {
    int step = 1;
    bool together = false;
  };

  Steps(std::vector<std::span<T>> gradients, const StepOptions& options);

  void clear_gradients();
  void divide_gradients(double divisor);
  bool has_finite_gradients() const;

 private:
  virtual void begin_step(bool is_first) = 0;
  virtual std::optional<int> end_step(const Optimizer& optimizer, const Local& local) = 0;

  std::vector<std::span<T>> gradients_;
  StepOptions options_;
  LossScale scale_;
  int local_ = 0;  // steps since the last combination
};

extern template class Steps<float>;
extern template class Steps<double>;

}  // namespace adasum
