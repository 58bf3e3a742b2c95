// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace adarun::trainer {

/// The part of a dataset that one rank learns from: shard `id` of `count`, RANK_ID of RANK_SIZE.
struct Shard {
  int id = 0;     ///< 0 <= id < count.
  int count = 1;  ///< At least 1.
};

/// Samples that each of `shards` shards has in an epoch: samples / shards, rounded up.
std::size_t samples_per_shard(std::size_t samples, int shards);

/// Whole batches that each shard has in an epoch; the incomplete last one is dropped.
/// 1281167 samples, 16 shards, batches of 256: 312.
std::size_t steps_per_epoch(std::size_t samples, int shards, std::size_t batch_size);

/// The order of all samples in `epoch` (from 1): a permutation of 0..samples-1 that depends on nothing but
/// the arguments, so that all ranks have the same one. samples < 2^32.
std::vector<std::uint32_t> epoch_order(std::size_t samples, std::uint64_t seed, int epoch);

/// What a shard learns from in an epoch: every count-th entry of `order` from the id-th on,
/// samples_per_shard() of them, going on from the beginning of `order` where it ends.
std::vector<std::uint32_t> shard_of(const std::vector<std::uint32_t>& order, Shard shard);

/// What a rank measures on: id, id + count, ... below `samples`. Over all ranks each sample comes once.
std::vector<std::uint32_t> test_shard(std::size_t samples, Shard shard);

}  // namespace adarun::trainer
