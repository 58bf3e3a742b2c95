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
  int local_steps = 1;  ///< Ranks combine what they have after so many steps of each: accumulation.
  LossScaleOptions loss_scale = {};
};

/// Whether a step is the last one, such as of an epoch, after which ranks combine in any case.
enum class StepPosition { inside, last };

/// One rank's part in a training of all ranks, independent of what computes the gradients and of the
/// optimizer:
///
///   const double scale = steps.begin();
///   ... the backward pass of scale * loss adds to the gradients ...
///   if (const auto rank = steps.end([&] { optimizer.step(rate); })) { /* those of rank *rank overflowed:
///   left out */ }
///
/// GradientSteps and DeltaSteps differ in what is combined. Ranks take `local_steps` steps in a row without
/// one another. In either, gradients with NaN or an infinity, on whatever rank, change no weight on any rank.
///
/// T is float or double. One thread.
template <typename T>
class Steps {
 public:
  /// Updates the weights by the gradients, as they are in memory.
  using Optimizer = std::function<void()>;

  virtual ~Steps() = default;
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  /// What the loss of this step is to be multiplied by. Clears the gradients where a sum of them begins.
  double begin();

  /// Combines and calls the optimizer, which finds the gradients divided by the loss scale. Gives the lowest
  /// rank whose gradients (or weights, on deltas) are not finite, the same on every rank: these local steps
  /// are then undone on every rank. Collective at each local_steps-th call, and where `position` is the last;
  /// nothing is given by the others, which are collective over this rank's group only, and that on deltas of
  /// an engine with groups.
  std::optional<int> end(const Optimizer& optimizer, StepPosition position = StepPosition::inside);

  /// To be called where end() gave a rank: lowers the loss scale, if it can be, and tells whether training
  /// can continue.
  bool drop();

  /// Whether no rank has taken a local step that is not combined yet.
  bool is_together() const { return local_ == 0; }

  LossScale& loss_scale() { return scale_; }

  /// As Plan's, of what was combined last; empty where it was not by AdaSum.
  virtual std::vector<TensorDiagnostics> diagnostics() const { return {}; }

 protected:
  /// Which of the local steps it is, from 1, and whether ranks combine after it.
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
  int local_ = 0;  // steps since ranks were together
};

extern template class Steps<float>;
extern template class Steps<double>;

}  // namespace adasum
