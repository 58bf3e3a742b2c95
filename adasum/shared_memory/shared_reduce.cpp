// SPDX-License-Identifier: Apache-2.0
#include "adasum/shared_memory/shared_reduce.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace adasum {
namespace {

constexpr std::size_t slot_size = std::size_t{1} << 15;  // numbers that a rank can write at a time

// The head of each rank's memory; that of rank 0 holds the barrier.
struct Head {
  BarrierState barrier;
};
constexpr std::size_t head_bytes = 4096;
static_assert(sizeof(Head) <= head_bytes);

}  // namespace

std::unique_ptr<SharedReduce> SharedReduce::make(Communicator& node) {
  auto memory = SharedMemory::make(node, head_bytes + 2 * slot_size * sizeof(double));
  if (!memory) return nullptr;
  std::unique_ptr<SharedReduce> result(new SharedReduce(std::move(memory), node.rank(), node.size()));
  const BarrierRank mine{.process = ::getpid(), .world_rank = node.world_rank(node.rank())};
  node.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(result->ranks_)));
  auto& state = reinterpret_cast<Head*>(result->memory_->of(0).data())->barrier;
  result->barrier_.emplace(state, result->ranks_, result->rank_, node.wait_limits());
  return result;
}

SharedReduce::SharedReduce(std::unique_ptr<SharedMemory> memory, int rank, int size)
    : memory_(std::move(memory)), rank_(rank), size_(size), ranks_(static_cast<std::size_t>(size)) {}

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

}  // namespace adasum
