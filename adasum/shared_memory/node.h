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

#include "adasum/communicators/communicator.h"
#include "adasum/shared_memory/shared_memory.h"
#include "adasum/shared_memory/shared_reduce.h"

namespace adasum {

/// The ranks of one machine, where they share memory, and the machines of the world, where all have the same
/// number of ranks, in the order of the ranks.
class Node {
 public:
  /// Collective over `world`. Null, on all ranks, where they are not placed like that, or memory cannot be
  /// shared on some machine.
  static std::unique_ptr<Node> make(Communicator& world) { return make(world, std::make_shared<Buffers>()); }

  /// The same node for `world`, a duplicate of its world: another SharedReduce, the same memory. Calls on the
  /// one and on the other are independent.
  std::unique_ptr<Node> duplicate(Communicator& world) const { return make(world, buffers_); }

  Communicator& ranks() { return *ranks_; }
  SharedReduce& shared_reduce() { return *shared_reduce_; }

  /// The ranks of this local rank on all nodes, one per node; null where there is one node.
  Communicator* across() { return across_.get(); }

  /// Memory of this rank that the others of its node read and write in place; zeroes. Collective over the
  /// node, sizes may differ. Nothing, on all ranks, where there is none left.
  std::optional<std::span<std::byte>> allocate(std::size_t size_bytes);

  /// Frees memory of allocate(). Collective over the node, in the same order. False where it is not from
  /// allocate().
  bool free(const void* memory);

  /// The address in this process of `pieces[i]` of each rank of the node: [i][rank]. Collective over the
  /// node, each rank with its own pieces, as many as the others. Nothing, on all ranks, where some piece is
  /// not in memory of allocate().
  using Views = std::vector<std::vector<std::byte*>>;
  std::optional<Views> find(std::span<const std::span<const std::byte>> pieces);

 private:
  /// What allocate() has given, by number, the same on all ranks.
  struct Buffers {
    std::list<std::pair<std::uint64_t, std::unique_ptr<SharedMemory>>> list;
    std::uint64_t next = 1;
  };

  Node() = default;
  static std::unique_ptr<Node> make(Communicator& world, std::shared_ptr<Buffers> buffers);

  std::unique_ptr<Communicator> ranks_;
  std::unique_ptr<Communicator> across_;
  std::unique_ptr<SharedReduce> shared_reduce_;
  std::shared_ptr<Buffers> buffers_;
};

}  // namespace adasum
