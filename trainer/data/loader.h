// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainer/data/batch.h"
#include "trainer/data/dataset.h"
#include "trainer/data/shard.h"

namespace adarun::trainer {

/// The training batches of one rank, epoch by epoch. `dataset` must outlive it.
class Loader {
 public:
  /// Batches of `batch_size` images of side x side pixels. Throws Error (refused) where a shard holds
  /// less than one batch.
  Loader(const Dataset& dataset, Shard shard, std::size_t batch_size, int side, std::uint64_t seed);

  /// Batches in every epoch, the same number on every rank.
  int steps() const { return steps_; }

  /// Shuffles for `epoch` (from 1), the same way on every rank.
  void start(int epoch);

  /// Batch `step` (from 1 to steps()) of the epoch started last; good until the next call.
  const Batch& batch(int step);

 private:
  const Dataset& dataset_;
  Shard shard_;
  std::size_t batch_size_;
  int side_;
  std::uint64_t seed_;
  int steps_;
  std::vector<std::uint32_t> indices_;
  Batch batch_;
};

}  // namespace adarun::trainer
