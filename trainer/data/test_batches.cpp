// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/test_batches.h"

#include <algorithm>
#include <span>
#include <utility>

namespace adarun::trainer {

TestBatches::TestBatches(const Dataset& dataset, std::vector<std::uint32_t> indices, std::size_t counted,
                         const TestBatchOptions& options)
    : dataset_(dataset), indices_(std::move(indices)), counted_(counted), options_(options) {
  if (options.workers == 0 || indices_.empty()) return;
  prefetcher_ = std::make_unique<Prefetcher>(
      std::min(options.workers, count()), [this](int number, Batch& batch) { make(number, batch); },
      options.timeout, "test batch");
  prefetcher_->start(1, count());
}

int TestBatches::count() const {
  return static_cast<int>((indices_.size() + options_.batch_size - 1) / options_.batch_size);
}

const Batch& TestBatches::next() {
  if (prefetcher_) return prefetcher_->take();
  make(next_++, batch_);
  return batch_;
}

void TestBatches::make(int number, Batch& batch) const {
  const std::size_t begin = static_cast<std::size_t>(number - 1) * options_.batch_size;
  const std::size_t size = std::min(options_.batch_size, indices_.size() - begin);
  fill(batch, dataset_, std::span(indices_).subspan(begin, size), options_.side);
  for (std::size_t i = 0; i < size; ++i)
    if (begin + i >= counted_) batch.labels[i] = no_class;
}

}  // namespace adarun::trainer
