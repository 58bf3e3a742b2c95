// SPDX-License-Identifier: Apache-2.0
#include "adasum/finite.h"

#include "trainer/reducers/kinds.h"

namespace adarun::trainer::reducers {
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

}  // namespace adarun::trainer::reducers
