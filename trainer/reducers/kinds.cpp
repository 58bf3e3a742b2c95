// SPDX-License-Identifier: Apache-2.0
#include "trainer/reducers/kinds.h"

#include <cassert>
#include <optional>

#include "adasum/finite.h"
#include "adasum/mean.h"
#include "adasum/plan.h"
#include "adasum/scaled_group_mean.h"
#include "adasum/types/layout.h"

namespace adarun::trainer::reducers {
namespace {

class None : public Reducer {
 public:
  None(std::span<const float> gradients, adasum::Communicator& communicator)
      : gradients_(gradients), communicator_(communicator) {}

  std::optional<int> reduce() override { return adasum::first_not_finite(gradients_, communicator_); }

 private:
  std::span<const float> gradients_;
  adasum::Communicator& communicator_;
};

}  // namespace

std::unique_ptr<Reducer> none(const ReduceContext& context, const TensorSpan& gradients) {
  return std::make_unique<None>(gradients.values, context.communicator);
}

namespace {

class Sum : public Reducer {
 public:
  Sum(std::span<float> gradients, adasum::Communicator& communicator)
      : gradients_(gradients), communicator_(communicator) {}

  std::optional<int> reduce() override {
    if (const auto rank = adasum::first_not_finite(std::span<const float>(gradients_), communicator_))
      return rank;
    communicator_.sum(gradients_);
    return std::nullopt;
  }

 private:
  std::span<float> gradients_;
  adasum::Communicator& communicator_;
};

}  // namespace

std::unique_ptr<Reducer> sum(const ReduceContext& context, const TensorSpan& gradients) {
  return std::make_unique<Sum>(gradients.values, context.communicator);
}

namespace {

class Mean : public Reducer {
 public:
  Mean(std::span<float> gradients, adasum::Communicator& communicator)
      : gradients_(gradients), communicator_(communicator) {}

  std::optional<int> reduce() override {
    if (const auto rank = adasum::first_not_finite(std::span<const float>(gradients_), communicator_))
      return rank;
    adasum::mean(gradients_, communicator_);
    return std::nullopt;
  }

 private:
  std::span<float> gradients_;
  adasum::Communicator& communicator_;
};

}  // namespace

std::unique_ptr<Reducer> mean(const ReduceContext& context, const TensorSpan& gradients) {
  return std::make_unique<Mean>(gradients.values, context.communicator);
}

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
