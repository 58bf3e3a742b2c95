// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizers/sharded.h"

#include <cstddef>
#include <numeric>
#include <utility>

namespace adarun::trainer {
namespace {

std::vector<std::int64_t> counts_of(const OptimizedTensors& tensors) {
  std::vector<std::int64_t> counts;
  for (const OptimizedTensor& tensor : tensors) counts.push_back(tensor.count);
  return counts;
}

class Sharded : public Optimizer {
 public:
  Sharded(const OptimizerOptions& options, const OptimizedTensors& tensors,
          adasum::Communicator& communicator)
      : communicator_(communicator), ranges_(shards(counts_of(tensors), communicator.size())) {
    const adasum::Range own = ranges_[static_cast<std::size_t>(communicator.rank())];
    OptimizedTensors mine;
    std::size_t at = 0;
    for (const OptimizedTensor& tensor : tensors) {
      if (at >= own.begin && at < own.end) mine.push_back(tensor);
      at += static_cast<std::size_t>(tensor.count);
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

std::vector<adasum::Range> shards(const std::vector<std::int64_t>& counts, int ranks) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  std::vector<adasum::Range> of_rank(static_cast<std::size_t>(ranks));
  std::size_t at = 0;
  for (const std::int64_t of_tensor : counts) {
    const auto count = static_cast<std::size_t>(of_tensor);
    const double middle = static_cast<double>(at) + static_cast<double>(count) / 2;
    adasum::Range& range = of_rank[static_cast<std::size_t>(middle / total * ranks)];
    if (range.size() == 0) range = {at, at};
    range.end += count;
    at += count;
  }
  return of_rank;
}

std::unique_ptr<Optimizer> make_sharded(const OptimizerOptions& options, const OptimizedTensors& tensors,
                                        adasum::Communicator& communicator) {
  return std::make_unique<Sharded>(options, tensors, communicator);
}

}  // namespace adarun::trainer
