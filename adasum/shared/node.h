// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "adasum/peers.h"
#include "adasum/shared/board.h"
#include "adasum/shared/shared_memory.h"

namespace adasum {

/// The ranks of one machine, where they share memory, and the machines of the world, where all have the same
/// number of ranks, in the order of the ranks.
class Node {
 public:
  /// Collective over `world`. Nothing, on all ranks, where they are not spread like that, or memory cannot be
  /// shared on some machine.
  static std::unique_ptr<Node> make(Peers& world) { return make(world, std::make_shared<Buffers>()); }

  /// The same node for `world`, a duplicate of its world: another board, the same memory. What is under way here and
  /// there does not meet.
  std::unique_ptr<Node> again(Peers& world) const { return make(world, buffers_); }

  Peers& ranks() { return *ranks_; }
  Board& board() { return *board_; }

  /// The ranks of the same place in their nodes; nothing where there is one node.
  Peers* across() { return across_.get(); }

  /// Memory of this rank that the others of its node read and write in place; zeroes. Collective over the node,
  /// sizes may differ. Nothing, on all ranks, where there is none to be had.
  std::optional<std::span<std::byte>> allocate(std::size_t size_bytes);

  /// Gives memory of allocate() back. Collective over the node, in one order. False where it is not ours.
  bool free(const void* memory);

  /// Where each rank of the node has what it calls `pieces[i]`, as this rank sees it: [i][rank]. Collective over
  /// the node, each with its own pieces, as many as the others. Nothing, on all ranks, where some of them is not
  /// in memory of allocate().
  using Views = std::vector<std::vector<std::byte*>>;
  std::optional<Views> find(std::span<const std::span<const std::byte>> pieces);

 private:
  /// What allocate() has given, by number, the same on all ranks.
  struct Buffers {
    std::list<std::pair<std::uint64_t, std::unique_ptr<SharedMemory>>> list;
    std::uint64_t next = 1;
  };

  Node() = default;
  static std::unique_ptr<Node> make(Peers& world, std::shared_ptr<Buffers> buffers);

  std::unique_ptr<Peers> ranks_;
  std::unique_ptr<Peers> across_;
  std::unique_ptr<Board> board_;
  std::shared_ptr<Buffers> buffers_;
};

}  // namespace adasum
