// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/loader.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

/// Random numbers for crops and flips of a sample, in a stream that no other use shares.
Random augmentation_of(std::uint64_t seed, int epoch, std::uint32_t index) {
  constexpr std::uint64_t streams = std::uint64_t{1} << 62U;
  return Random(seed, streams + (static_cast<std::uint64_t>(epoch) << 32U) + index);
}

}  // namespace

Loader::Loader(const Dataset& dataset, Shard shard, const LoaderOptions& options)
    : dataset_(dataset),
      shard_(shard),
      options_(options),
      steps_(static_cast<int>(steps_per_epoch(dataset.size(), shard.count, options.batch_size))) {
  if (steps_ == 0) {
    const auto sharers = static_cast<std::size_t>(options.sharers);
    throw Error("--batch-size " + std::to_string(options.batch_size / sharers) + ": more than the " +
                    std::to_string(samples_per_shard(dataset.size(), shard.count) / sharers) +
                    " samples that each of " + std::to_string(shard.count * options.sharers) + " ranks has",
                Exit::refused);
  }
  if (options.workers == 0) return;
  prefetcher_ =
      std::make_unique<Prefetcher>(options.workers, [this](int step, Batch& batch) { make(step, batch); });
}

int Loader::steps(const EarlierSteps& earlier) const {
  return static_cast<int>(steps_per_epoch(dataset_.size(), shard_.count, options_.batch_size, earlier));
}

int Loader::equal_steps(const EarlierSteps& earlier) const {
  return static_cast<int>(earlier.samples / (static_cast<std::size_t>(shard_.count) * options_.batch_size));
}

void Loader::start(int epoch, int first, const EarlierSteps& earlier) {
  if (prefetcher_) prefetcher_->drop();
  epoch_ = epoch;
  next_ = first;
  earlier_ = earlier.steps;
  indices_ = shard_of(epoch_order(dataset_.size(), options_.seed, epoch), shard_, earlier);
  if (prefetcher_) prefetcher_->start(first, steps(earlier));
}

const Batch& Loader::next() {
  if (prefetcher_) return prefetcher_->take();
  make(next_++, batch_);
  return batch_;
}

void Loader::make(int step, Batch& batch) const {
  const std::size_t begin = static_cast<std::size_t>(step - 1 - earlier_) * options_.batch_size;
  batch.resize(options_.batch_size, dataset_, options_.side);
  for (std::size_t i = 0; i < options_.batch_size; ++i) {
    const std::uint32_t index = indices_[begin + i];
    Random random = augmentation_of(options_.seed, epoch_, index);
    dataset_.sample(index, {options_.side, &random}, batch.image(i));
    batch.labels[i] = dataset_.label(index);
  }
}

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
