// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adasum/steps/steps.h"
#include "trainer/models/weights.h"
#include "trainer/optimizers/optimizer.h"
#include "trainer/reducers/reducer.h"

namespace adarun::trainer {

struct LearnerOptions {
  AdasumOn adasum_on = AdasumOn::gradient;
  int local_steps = 1;  ///< Steps of each rank between reductions.
  adasum::LossScaleOptions loss_scale = {};
  std::size_t bucket_bytes = 0;  ///< For AdaSum of gradients (BucketOptions).
  int micro_batches = 1;         ///< Backward passes per step.
};

/// Tensors that are trained together: all from number `first_tensor` on.
struct TrainedGroup {
  std::size_t first_tensor = 0;
  std::unique_ptr<Optimizer> optimizer;  ///< For these tensors.
};

/// The groups of a training, and which of them a round trains. A round is what ranks do between two
/// reductions: one step, or `local_steps`.
struct TrainedGroups {
  std::vector<TrainedGroup> groups;                              ///< At least one.
  std::function<std::size_t(std::int64_t round)> of_round = {};  ///< Rounds count from 0. For several groups.
};

/// How far a learner is, for checkpoints.
struct LearnerCounts {
  std::int64_t rounds = 0;
  std::vector<std::int64_t> steps_taken = {0};  ///< By the optimizer of each group.

  bool operator==(const LearnerCounts&) const = default;
};

/// One rank's part in computing new weights from the gradients of all ranks: an optimizer, and the engine's
/// local steps (adasum::Steps). Either a Reducer combines their gradients, or AdaSum combines their deltas.
/// With several groups each has its own optimizer and steps; a round computes, combines and steps the tensors
/// of its group alone, and leaves all else as it is. They share one loss scale.
class Learner {
 public:
  /// Weights and `context` must outlive it. Collective.
  Learner(Weights& weights, TrainedGroups groups, const ReduceContext& context,
          const LearnerOptions& options);

  /// One group: `optimizer` must be made for the tensors of `weights`.
  Learner(Weights& weights, std::unique_ptr<Optimizer> optimizer, const ReduceContext& context,
          const LearnerOptions& options);

  /// As adasum::Steps::begin() and end(), for weights.gradients() and the optimizer, which gets `loss`.
  double begin_step();
  std::optional<int> end_step(float rate, adasum::StepPosition place, const BatchLoss& loss = {});

  /// Leaves the step out that end_step() has found not to be finite, and lowers the loss scale. False: it
  /// cannot.
  bool drop();

  /// `vote` is called whenever the gradients of all ranks have been combined, before anything changes by it:
  /// if it throws, nothing has changed.
  void ask_before_steps(std::function<void()> vote) { vote_ = std::move(vote); }

  /// Loss scale, diagnostics of the last reduction, and whether every local step has been combined, of the
  /// group that was last trained. Only this learner may call its begin() and end().
  adasum::Steps<float>& steps() { return *current().steps; }
  const adasum::Steps<float>& steps() const { return *parts_[current_].steps; }

  /// Its state besides the weights and the loss scale, for checkpoints.
  std::vector<std::span<float>> optimizer_state();
  LearnerCounts counts() const;
  /// Optimizer::identity() of the first group.
  std::string optimizer_identity() const { return parts_.front().optimizer->identity(); }
  /// `counts` must have as many groups as this learner.
  void restore(const LearnerCounts& counts);

 private:
  /// One group.
  struct Part {
    std::size_t first_tensor = 0;
    std::unique_ptr<Optimizer> optimizer;
    std::unique_ptr<adasum::Steps<float>> steps;
    std::int64_t taken = 0;           // by the optimizer
    std::int64_t taken_together = 0;  // taken at the last combination
  };

  Part& current() { return parts_[current_]; }
  void begin_round();
  void count_round();

  Weights& weights_;
  std::function<std::size_t(std::int64_t)> of_round_;
  std::vector<Part> parts_;
  std::size_t current_ = 0;
  std::int64_t rounds_ = 0;
  std::function<void()> vote_ = [] {};
};

}  // namespace adarun::trainer
