// SPDX-License-Identifier: Apache-2.0
#include "adasum/shared_memory/node.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

namespace adasum {
namespace {

constexpr std::size_t slot_size = std::size_t{1} << 15;  // numbers that a rank can write at a time

constexpr std::size_t head_bytes = 4096;  // of each rank's memory; that of rank 0 holds the barrier
static_assert(sizeof(BarrierState) <= head_bytes);

}  // namespace

std::unique_ptr<SharedReduce> SharedReduce::make(Communicator& node) {
  auto memory = SharedMemory::make(node, head_bytes + 2 * slot_size * sizeof(double));
  if (!memory) return nullptr;
  std::unique_ptr<SharedReduce> result(new SharedReduce(std::move(memory), node.rank(), node.size()));
  result->ranks_ =
      gather(node, BarrierRank{.process = ::getpid(), .world_rank = node.world_rank(node.rank())});
  auto& state = *reinterpret_cast<BarrierState*>(result->memory_->of(0).data());
  result->barrier_.emplace(state, result->ranks_, result->rank_, node.wait_limits());
  return result;
}

SharedReduce::SharedReduce(std::unique_ptr<SharedMemory> memory, int rank, int size)
    : memory_(std::move(memory)), rank_(rank), size_(size) {}

void SharedReduce::sum(std::span<double> values) {
  fold(values, [](double a, double b) { return a + b; });
}

void SharedReduce::max(std::span<double> values) {
  fold(values, [](double a, double b) { return std::max(a, b); });
}

std::span<double> SharedReduce::slot(int rank) {
  auto* numbers = reinterpret_cast<double*>(memory_->of(rank).data() + head_bytes);
  return {numbers + (second_ ? slot_size : 0), slot_size};
}

// Slots alternate: a rank overwrites a slot only after the next barrier; ranks enter that barrier after they
// have read the slot. All add in rank order, so results are bit-equal.
template <typename Fold>
void SharedReduce::fold(std::span<double> values, const Fold& fold) {
  for (std::size_t begin = 0; begin < values.size(); begin += slot_size) {
    const auto some = values.subspan(begin, std::min(slot_size, values.size() - begin));
    std::ranges::copy(some, slot(rank_).begin());
    barrier_->wait();
    std::copy_n(slot(0).begin(), some.size(), some.begin());
    for (int rank = 1; rank < size_; ++rank) {
      const auto theirs = slot(rank);
      for (std::size_t i = 0; i < some.size(); ++i) some[i] = fold(some[i], theirs[i]);
    }
    second_ = !second_;
  }
}

namespace {

// What each rank knows about its machine.
struct RankPlacement {
  std::int32_t first = 0;  // the lowest rank on it
  std::int32_t ranks = 0;  // the number of ranks on it; 0: they share no memory
};

bool is_uniform(std::span<const RankPlacement> all) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto [first, ranks] = all[rank];
    if (ranks == 0 || ranks != all[0].ranks || first != static_cast<int>(rank) / ranks * ranks) return false;
  }
  return true;
}

// Where a piece of a rank is: its buffer (0: none) and the offset in it.
struct Location {
  std::uint64_t buffer = 0;
  std::uint64_t offset = 0;
};

}  // namespace

std::unique_ptr<Node> Node::make(Communicator& world, std::shared_ptr<Buffers> buffers) {
  std::unique_ptr<Node> node(new Node);
  node->buffers_ = std::move(buffers);
  node->ranks_ = world.split_by_node();
  node->shared_reduce_ = SharedReduce::make(*node->ranks_);
  const RankPlacement mine{world.rank() - node->ranks_->rank(),
                           node->shared_reduce_ ? node->ranks_->size() : 0};
  if (!is_uniform(gather(world, mine))) return nullptr;
  if (mine.ranks < world.size()) node->across_ = world.split(node->ranks_->rank());
  return node;
}

std::optional<std::span<std::byte>> Node::allocate(std::size_t size_bytes) {
  auto memory = SharedMemory::make(*ranks_, size_bytes);
  if (!memory) return std::nullopt;
  const auto own = memory->of(ranks_->rank());
  buffers_->list.emplace_back(buffers_->next++, std::move(memory));
  return own;
}

bool Node::free(const void* memory) {
  const auto is_it = [&](const auto& buffer) { return buffer.second->of(ranks_->rank()).data() == memory; };
  return std::erase_if(buffers_->list, is_it) > 0;
}

std::optional<Node::Views> Node::find(std::span<const std::span<const std::byte>> pieces) {
  std::vector<Location> mine(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (const auto& [number, memory] : buffers_->list) {
      if (const auto offset = memory->offset_of(pieces[i])) mine[i] = {number, *offset};
    }
  }
  const auto ranks = static_cast<std::size_t>(ranks_->size());
  std::vector<Location> all(ranks * mine.size());
  ranks_->all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  if (std::ranges::any_of(all, [](const Location& location) { return location.buffer == 0; }))
    return std::nullopt;
  Views found(pieces.size(), std::vector<std::byte*>(ranks));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto buffer =
        std::ranges::find(buffers_->list, all[i].buffer, &decltype(buffers_->list)::value_type::first);
    assert(buffer != buffers_->list.end());
    const std::size_t rank = i / mine.size();
    found[i % mine.size()][rank] = buffer->second->of(static_cast<int>(rank)).data() + all[i].offset;
  }
  return found;
}

}  // namespace adasum
