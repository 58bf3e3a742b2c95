// SPDX-License-Identifier: Apache-2.0
#include "adasum/finite.h"
#include "trainer/reducers/kinds.h"

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

}  // namespace adarun::trainer::reducers
