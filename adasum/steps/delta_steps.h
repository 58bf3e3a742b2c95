// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "adasum/delta_plan.h"
#include "adasum/engine.h"
#include "adasum/steps/steps.h"

namespace adasum {

/// What a step changes on one rank alone.
template <typename T>
struct Learned {
  std::vector<std::span<T>> weights;
  std::vector<std::span<T>> memory = {};  ///< Of the optimizer, momentum for one: goes back with weights that go back.
};

/// AdaSum of how far weights have gone (DeltaPlan): each rank's optimizer takes each of its local steps by its own
/// gradients, and keeps a memory of its own.
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

  void begin_step(bool is_first) override;
  std::optional<int> end_step(const Optimizer& optimizer, const Local& local) override;

  Learned<T> learned_;
  std::vector<std::vector<T>> memory_before_;
  DeltaPlan<T> plan_;
  bool spoiled_ = false;  // a local step had gradients that are not finite
};

extern template class DeltaSteps<float>;
extern template class DeltaSteps<double>;

}  // namespace adasum
