// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/loader.h"

#include <span>
#include <string>

#include "trainer/error.h"

namespace adarun::trainer {

Loader::Loader(const Dataset& dataset, Shard shard, std::size_t batch_size, int side, std::uint64_t seed)
    : dataset_(dataset),
      shard_(shard),
      batch_size_(batch_size),
      side_(side),
      seed_(seed),
      steps_(static_cast<int>(steps_per_epoch(dataset.size(), shard.count, batch_size))) {
  if (steps_ == 0) {
    throw Error("--batch-size " + std::to_string(batch_size) + ": more than the " +
                    std::to_string(samples_per_shard(dataset.size(), shard.count)) +
                    " samples that each of " + std::to_string(shard.count) + " ranks has",
                Exit::refused);
  }
}

void Loader::start(int epoch) {
  indices_ = shard_of(epoch_order(dataset_.size(), seed_, epoch), shard_);
}

const Batch& Loader::batch(int step) {
  const std::size_t begin = static_cast<std::size_t>(step - 1) * batch_size_;
  fill(batch_, dataset_, std::span(indices_).subspan(begin, batch_size_), side_);
  return batch_;
}

}  // namespace adarun::trainer
