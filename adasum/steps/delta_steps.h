// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "adasum/delta_plan.h"
#include "adasum/engine.h"
#include "adasum/peers.h"
#include "adasum/plan.h"
#include "adasum/steps/steps.h"

namespace adasum {

/// What a step changes on one rank alone.
template <typename T>
struct Learned {
  std::vector<std::span<T>> weights;
  /// Of the optimizer, momentum for one: goes back with weights that go back.
  std::vector<std::span<T>> memory = {};
};

/// AdaSum of how far weights have gone (DeltaPlan): each rank's optimizer takes each of its local steps by
/// its own gradients, and keeps a memory of its own. Where the engine has groups, a group is as one rank:
/// each local step is taken by the mean of the group's gradients, so that its ranks go as far as one another
/// and have the same memory.
template <typename T>
class DeltaSteps : public Steps<T> {
 public:
  /// Collective; the engine and all memory must outlive it. Throws adasum::Error as Plan does.
  DeltaSteps(Engine& engine, const Learned<T>& learned, const std::vector<std::span<T>>& gradients,
             const StepOptions& options = {});

  std::vector<TensorDiagnostics> diagnostics() const override { return plan_.diagnostics(); }

 private:
  using typename Steps<T>::Optimizer;
  using typename Steps<T>::Local;

  /// The ranks of one group, and their mean.
  struct Group {
    Group(std::unique_ptr<Peers> ranks, const std::vector<std::span<T>>& gradients)
        : peers(std::move(ranks)), engine(*peers, {.group_size = peers->size()}), mean(engine, gradients) {}
    std::unique_ptr<Peers> peers;
    Engine engine;
    Plan<T> mean;
  };

  void begin_step(bool is_first) override;
  std::optional<int> end_step(const Optimizer& optimizer, const Local& local) override;
  bool take_gradients();

  Learned<T> learned_;
  std::vector<std::vector<T>> memory_before_;
  std::unique_ptr<Group> group_;  // where it is more than this rank
  DeltaPlan<T> plan_;
  bool spoiled_ = false;  // a local step had gradients that are not finite
};

extern template class DeltaSteps<float>;
extern template class DeltaSteps<double>;

}  // namespace adasum
