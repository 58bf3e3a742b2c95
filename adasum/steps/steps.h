// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "adasum/diagnostics.h"
#include "adasum/steps/loss_scale.h"

namespace adasum {

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
