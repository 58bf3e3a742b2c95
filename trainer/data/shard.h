// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainer/base/progress.h"

namespace adarun::trainer {

/// The part of a data set that one rank trains on: shard `id` of `count`, RANK_ID of RANK_SIZE.
struct Shard {
  int id = 0;     ///< 0 <= id < count.
  int count = 1;  ///< At least 1.
};

/// The number of samples of each of `shards` shards in an epoch: samples / shards, rounded up.
std::size_t samples_per_shard(std::size_t samples, int shards);

/// The number of whole batches of each shard in an epoch; an incomplete last batch is dropped. 1281167
/// samples, 16 shards, batches of 256: 312. In an epoch that begins with `earlier`, which count, what is left
/// of the samples is divided among the shards; a remainder that is not a batch of each shard is dropped.
std::size_t steps_per_epoch(std::size_t samples, int shards, std::size_t batch_size,
                            const EarlierSteps& earlier = {});

/// The order of all samples in `epoch` (from 1): a permutation of 0..samples-1 that depends only on the
/// arguments, so it is the same on all ranks. samples < 2^32.
std::vector<std::uint32_t> epoch_order(std::size_t samples, std::uint64_t seed, int epoch);

/// The training samples of a shard in an epoch: every count-th entry of `order` from the id-th on,
/// samples_per_shard() of them, wrapping around at the end of `order`. After `earlier`, the same of the rest
/// of `order`, but without wrapping around: its last entries, fewer than `count`, are left out.
std::vector<std::uint32_t> shard_of(const std::vector<std::uint32_t>& order, Shard shard,
                                    const EarlierSteps& earlier = {});

/// The evaluation samples of a rank: id, id + count, ... below `samples`. Each sample belongs to exactly one
/// rank.
std::vector<std::uint32_t> test_shard(std::size_t samples, Shard shard);

}  // namespace adarun::trainer
