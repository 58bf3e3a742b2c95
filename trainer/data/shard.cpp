// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/shard.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "trainer/base/random.h"

namespace adarun::trainer {
namespace {

/// The entry of an epoch's order from which on it is divided anew, one of `samples` or their end.
std::size_t first_entry(const EarlierSteps& earlier, std::size_t samples) {
  return std::min<std::size_t>(earlier.samples, samples);
}

}  // namespace

std::size_t samples_per_shard(std::size_t samples, int shards) {
  const auto count = static_cast<std::size_t>(shards);
  return (samples + count - 1) / count;
}

std::size_t steps_per_epoch(std::size_t samples, int shards, std::size_t batch_size,
                            const EarlierSteps& earlier) {
  if (earlier.steps == 0) return samples_per_shard(samples, shards) / batch_size;
  const std::size_t left = samples - first_entry(earlier, samples);
  return static_cast<std::size_t>(earlier.steps) + left / (static_cast<std::size_t>(shards) * batch_size);
}

std::vector<std::uint32_t> epoch_order(std::size_t samples, std::uint64_t seed, int epoch) {
  assert(samples <= UINT32_MAX);
  std::vector<std::uint32_t> order(samples);
  std::iota(order.begin(), order.end(), 0U);
  // A stream that single samples do not use.
  Random random(seed, (std::uint64_t{1} << 63U) + static_cast<std::uint64_t>(epoch));
  for (std::size_t left = samples; left > 1; --left) {
    std::swap(order[left - 1], order[random.below(static_cast<std::uint32_t>(left))]);
  }
  return order;
}

std::vector<std::uint32_t> shard_of(const std::vector<std::uint32_t>& order, Shard shard,
                                    const EarlierSteps& earlier) {
  const auto count = static_cast<std::size_t>(shard.count);
  const std::size_t first = first_entry(earlier, order.size());
  const bool wraps = earlier.steps == 0;
  std::vector<std::uint32_t> mine(wraps ? samples_per_shard(order.size(), shard.count)
                                        : (order.size() - first) / count);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::size_t at = first + i * count + static_cast<std::size_t>(shard.id);
    mine[i] = order[at % order.size()];
  }
  return mine;
}

std::vector<std::uint32_t> test_shard(std::size_t samples, Shard shard) {
  std::vector<std::uint32_t> mine;
  const auto stride = static_cast<std::size_t>(shard.count);
  for (std::size_t at = static_cast<std::size_t>(shard.id); at < samples; at += stride) {
    mine.push_back(static_cast<std::uint32_t>(at));
  }
  return mine;
}

}  // namespace adarun::trainer
