// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "adasum/delta_plan.h"
#include "adasum/engine.h"
#include "adasum/plan.h"
#include "adasum/steps/steps.h"

namespace adasum {

/// The state of the training that a local step changes on one rank alone.
template <typename T>
struct TrainingState {
  std::vector<std::span<T>> weights;
  /// The optimizer's state, such as momentum: restored together with the weights.
  std::vector<std::span<T>> optimizer_state = {};
};

/// AdaSum of weight deltas (DeltaPlan): each rank's optimizer takes each of its local steps by its own
/// gradients, and keeps a state of its own. Where the engine has groups, a group is as one rank: each local
/// step is taken by the mean of the group's gradients, so that the weights and the optimizer state of its
/// ranks are the same.
template <typename T>
class DeltaSteps : public Steps<T> {
 public:
  /// Collective; the engine and all memory must outlive it. Throws adasum::Error as Plan does.
  DeltaSteps(Engine& engine, const TrainingState<T>& state, const std::vector<std::span<T>>& gradients,
             const StepOptions& options = {});

  std::vector<TensorDiagnostics> diagnostics() const override { return plan_.diagnostics(); }

 private:
  using typename Steps<T>::Optimizer;
  using typename Steps<T>::Local;

  /// The ranks of one group, and their mean.
  struct Group {
    Group(std::unique_ptr<Communicator> ranks, const std::vector<std::span<T>>& gradients)
        : communicator(std::move(ranks)),
          engine(*communicator, {.group_size = communicator->size()}),
          mean(engine, gradients) {}
    std::unique_ptr<Communicator> communicator;
    Engine engine;
    Plan<T> mean;
  };

  void begin_step(bool is_first) override;
  std::optional<int> end_step(const Optimizer& optimizer, const Local& local) override;
  bool average_gradients();

  TrainingState<T> state_;
  std::vector<std::vector<T>> optimizer_state_before_;
  std::unique_ptr<Group> group_;  // null where it is this rank alone
  DeltaPlan<T> plan_;
  bool not_finite_ = false;  // a local step had gradients that are not finite
};

extern template class DeltaSteps<float>;
extern template class DeltaSteps<double>;

}  // namespace adasum
