// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <optional>

#include "adasum/plan.h"
#include "adasum/scaled_group_mean.h"
#include "adasum/types/layout.h"
#include "trainer/reducers/kinds.h"

namespace adarun::trainer::reducers {
namespace {

class Adasum : public Reducer {
 public:
  Adasum(adasum::Engine& engine, const TensorSpan& gradients)
      : plan_(engine, adasum::tensors_of(gradients.values, gradients.counts)) {
    if (!engine.options().scales_groups()) return;
    group_mean_.emplace(engine, adasum::tensors_of(gradients.values, gradients.counts));
  }

  // After the scaled means the ranks of a group have equal gradients, and the plan's own mean changes
  // nothing. It finds what is not finite on any rank of the world.
  std::optional<int> reduce() override {
    if (group_mean_) group_mean_->run();
    return plan_.run();
  }
  std::vector<adasum::TensorDiagnostics> diagnostics() const override { return plan_.diagnostics(); }

 private:
  adasum::Plan<float> plan_;
  std::optional<adasum::ScaledGroupMean<float>> group_mean_;
};

}  // namespace

std::unique_ptr<Reducer> adasum(const ReduceContext& context, const TensorSpan& gradients) {
  assert(context.engine);
  return std::make_unique<Adasum>(*context.engine, gradients);
}

}  // namespace adarun::trainer::reducers
