// SPDX-License-Identifier: Apache-2.0
#include "adasum/shared/board.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace adasum {
namespace {

constexpr std::size_t slot_size = std::size_t{1} << 15;  // numbers that a rank can leave at a time

// What each rank's memory begins with; that of rank 0 holds the barrier.
struct Head {
  BarrierState barrier;
};
constexpr std::size_t head_bytes = 4096;
static_assert(sizeof(Head) <= head_bytes);

}  // namespace

std::unique_ptr<Board> Board::make(Peers& node) {
  auto memory = SharedMemory::make(node, head_bytes + 2 * slot_size * sizeof(double));
  if (!memory) return nullptr;
  std::unique_ptr<Board> board(new Board(std::move(memory), node.rank(), node.size()));
  const std::int64_t process = ::getpid();
  node.all_gather(std::as_bytes(std::span(&process, 1)), std::as_writable_bytes(std::span(board->processes_)));
  auto& state = reinterpret_cast<Head*>(board->memory_->of(0).data())->barrier;
  board->barrier_.emplace(state, board->processes_, board->rank_);
  return board;
}

Board::Board(std::unique_ptr<SharedMemory> memory, int rank, int size)
    : memory_(std::move(memory)), rank_(rank), size_(size), processes_(static_cast<std::size_t>(size)) {}

void Board::sum(std::span<double> values) {
  fold(values, [](double a, double b) { return a + b; });
}

void Board::max(std::span<double> values) {
  fold(values, [](double a, double b) { return std::max(a, b); });
}

std::span<double> Board::slot(int rank) {
  auto* numbers = reinterpret_cast<double*>(memory_->of(rank).data() + head_bytes);
  return {numbers + (odd_ ? slot_size : 0), slot_size};
}

// A rank comes back to a slot after another barrier than the one that its readers wait for, so none reads late.
// All add in order of rank: bit-equal results.
template <typename Fold>
void Board::fold(std::span<double> values, const Fold& fold) {
  for (std::size_t begin = 0; begin < values.size(); begin += slot_size) {
    const auto some = values.subspan(begin, std::min(slot_size, values.size() - begin));
    std::ranges::copy(some, slot(rank_).begin());
    barrier_->wait();
    std::copy_n(slot(0).begin(), some.size(), some.begin());
    for (int rank = 1; rank < size_; ++rank) {
      const auto theirs = slot(rank);
      for (std::size_t i = 0; i < some.size(); ++i) some[i] = fold(some[i], theirs[i]);
    }
    odd_ = !odd_;
  }
}

}  // namespace adasum
