// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "adasum/plan.h"
#include "adasum/types/layout.h"
#include "trainer/reducers/kinds.h"

namespace adarun::trainer::reducers {
namespace {

class Adasum : public Reducer {
 public:
  Adasum(adasum::Engine& engine, Weights& weights)
      : plan_(engine, adasum::tensors_of(weights.gradients(), weights.counts())) {}

  std::optional<int> reduce() override { return plan_.run(); }
  std::vector<adasum::TensorDiagnostics> diagnostics() const override { return plan_.diagnostics(); }

 private:
  adasum::Plan<float> plan_;
};

}  // namespace

std::unique_ptr<Reducer> adasum(const ReduceContext& context, Weights& weights) {
  assert(context.engine);
  return std::make_unique<Adasum>(*context.engine, weights);
}

}  // namespace adarun::trainer::reducers
