// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizers/sharded.h"

#include <utility>

#include "adasum/types/layout.h"

namespace adarun::trainer {
namespace {

/// The rank that owns the tensor whose middle is at `middle` of `total` elements.
std::size_t owner(double middle, double total, int ranks) {
  return static_cast<std::size_t>(middle / total * ranks);
}

class Sharded : public Optimizer {
 public:
  Sharded(const OptimizerOptions& options, const OptimizedTensors& tensors,
          adasum::Communicator& communicator)
      : communicator_(communicator), ranges_(static_cast<std::size_t>(communicator.size())) {
    double total = 0;
    for (const OptimizedTensor& tensor : tensors) total += static_cast<double>(tensor.count);
    OptimizedTensors mine;
    std::size_t at = 0;
    for (const OptimizedTensor& tensor : tensors) {
      const auto count = static_cast<std::size_t>(tensor.count);
      const double middle = static_cast<double>(at) + static_cast<double>(count) / 2;
      const std::size_t rank = owner(middle, total, communicator.size());
      adasum::Range& range = ranges_[rank];
      if (range.size() == 0) range = {at, at};
      range.end += count;
      if (rank == static_cast<std::size_t>(communicator.rank())) mine.push_back(tensor);
      at += count;
    }
    own_ = make_optimizer(options, std::move(mine));
  }

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    const adasum::Range mine = ranges_[static_cast<std::size_t>(communicator_.rank())];
    own_->step(adasum::part(weights, mine), adasum::part(gradients, mine), at);
    for (std::size_t rank = 0; rank < ranges_.size(); ++rank) {
      const adasum::Range range = ranges_[rank];
      if (range.size() == 0) continue;
      communicator_.broadcast(std::as_writable_bytes(adasum::part(weights, range)), static_cast<int>(rank));
    }
  }

  std::vector<std::span<float>> state() override { return own_->state(); }

 private:
  adasum::Communicator& communicator_;
  std::vector<adasum::Range> ranges_;  // by rank: the elements of its tensors
  std::unique_ptr<Optimizer> own_;
};

}  // namespace

std::unique_ptr<Optimizer> make_sharded(const OptimizerOptions& options, const OptimizedTensors& tensors,
                                        adasum::Communicator& communicator) {
  return std::make_unique<Sharded>(options, tensors, communicator);
}

}  // namespace adarun::trainer
