// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/shards.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "trainer/base/collective.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

constexpr std::size_t first_shard = 2;  // after the weights and the statistics

/// A whole tensor, whose shards come one after the other.
struct Whole {
  std::size_t begin = 0;  // of this rank's shard
  std::size_t count = 0;
  std::size_t read = 0;  // so many of its values
};

Whole whole_of(std::span<const float> shard, adasum::Communicator& communicator) {
  const std::vector<std::uint64_t> sizes = adasum::gather(communicator, std::uint64_t{shard.size()});
  Whole whole;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    if (rank == static_cast<std::size_t>(communicator.rank())) whole.begin = whole.count;
    whole.count += sizes[rank];
  }
  return whole;
}

/// Copies what `next`, the next part of the whole, has of this rank's shard.
void take_next(Whole& whole, std::span<const float> next, std::span<float> shard) {
  const std::size_t begin = std::max(whole.begin, whole.read);
  const std::size_t end = std::min(whole.begin + shard.size(), whole.read + next.size());
  if (begin < end)
    std::ranges::copy(next.subspan(begin - whole.read, end - begin),
                      shard.subspan(begin - whole.begin).begin());
  whole.read += next.size();
}

/// Sends the values of `root`'s `stored` to all ranks, except the weights if they are not wanted.
void share(StoredCheckpoint& stored, std::size_t tensors, bool with_weights, int root,
           adasum::Communicator& communicator) {
  std::vector<std::uint64_t> sizes(tensors);
  for (std::size_t i = 0; i < stored.values.size(); ++i) sizes[i] = stored.values[i].size();
  communicator.broadcast(std::as_writable_bytes(std::span(sizes)), root);
  stored.values.resize(tensors);
  for (std::size_t i = with_weights ? 0 : 1; i < tensors; ++i) {
    stored.values[i].resize(sizes[i]);
    communicator.broadcast(std::as_writable_bytes(std::span(stored.values[i])), root);
  }
}

/// Reads `file` on `reader`. Describes the damage, on every rank.
std::string read_on(int reader, const std::filesystem::path& file, const RunIdentity& identity,
                    adasum::Communicator& communicator, StoredCheckpoint& stored) {
  std::string damage;
  try {
    if (communicator.rank() == reader) stored = read_checkpoint(file, identity);
  } catch (const DamagedCheckpoint& damaged) {
    damage = damaged.what();
  }
  return first_text(damage, communicator);
}

void check(bool has_the_tensors, const std::filesystem::path& file) {
  if (!has_the_tensors) throw Error(file.string() + ": holds other tensors than this job has");
}

}  // namespace

std::string read_shards(const std::vector<std::filesystem::path>& files, const RunIdentity& identity,
                        const std::vector<std::span<float>>& values, adasum::Communicator& communicator,
                        CheckpointHeader& contents) {
  assert(values.size() >= first_shard);
  std::vector<Whole> wholes;
  for (std::size_t i = first_shard; i < values.size(); ++i)
    wholes.push_back(whole_of(values[i], communicator));
  std::span<float> statistics = values[1];
  const std::size_t of_rank = statistics.size() / files.size();
  for (std::size_t from = 0; from < files.size(); ++from) {
    const int reader = static_cast<int>(from) % communicator.size();
    StoredCheckpoint stored;
    const std::string damage = read_on(reader, files[from], identity, communicator, stored);
    if (!damage.empty()) return damage;
    if (communicator.rank() == reader) check(stored.values.size() == values.size(), files[from]);
    if (from == 0) contents = stored.header;
    share(stored, values.size(), from == 0, reader, communicator);
    if (from == 0) check(stored.values[0].size() == values[0].size(), files[from]);
    if (from == 0) std::ranges::copy(stored.values[0], values[0].begin());
    check(stored.values[1].size() == of_rank, files[from]);
    std::ranges::copy(stored.values[1], statistics.subspan(from * of_rank).begin());
    for (std::size_t i = 0; i < wholes.size(); ++i)
      take_next(wholes[i], stored.values[first_shard + i], values[first_shard + i]);
  }
  for (const Whole& whole : wholes) check(whole.read == whole.count, files.front());
  return "";
}

}  // namespace adarun::trainer
