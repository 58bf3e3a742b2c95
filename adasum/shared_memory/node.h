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
#include "adasum/communicators/scalar_reduce.h"
#include "adasum/shared_memory/barrier.h"
#include "adasum/shared_memory/shared_memory.h"

namespace adasum {

/// ScalarReduce over the ranks of a node, in shared memory: each rank writes its numbers to its own slot, and
/// after a barrier all ranks read all slots and add them up in rank order. One barrier per 32,768 numbers:
/// the two slots of each rank alternate. A slot is overwritten only after the next barrier, which all ranks
/// enter after they have read it.
///
/// Memory ordering: that of Barrier. Slots are plain memory.
class SharedReduce : public ScalarReduce {
 public:
  /// Collective over `node`. Returns null, on all ranks, if they share no memory.
  static std::unique_ptr<SharedReduce> make(Communicator& node);

  void sum(std::span<double> values) override;
  void max(std::span<double> values) override;

  /// Barrier::wait(): returns when all ranks have called it. What they wrote to shared memory before is then
  /// visible.
  void barrier() { barrier_->wait(); }

  /// This rank makes no further call: from now on those of the others throw PeerLost.
  void give_up() { barrier_->give_up(); }

 private:
  SharedReduce(std::unique_ptr<SharedMemory> memory, int rank, int size);

  template <typename Fold>
  void fold(std::span<double> values, const Fold& fold);
  std::span<double> slot(int rank);

  std::unique_ptr<SharedMemory> memory_;
  int rank_;
  int size_;
  bool second_ = false;  // which of the two slots of each rank is in use
  std::vector<BarrierRank> ranks_;
  std::optional<Barrier> barrier_;
};

/// The ranks of one machine that share memory, and the machines of the world, which all have the same number
/// of ranks, in rank order.
class Node {
 public:
  /// Collective over `world`. Returns null, on all ranks, if ranks are not placed like that, or if memory
  /// cannot be shared on some machine.
  static std::unique_ptr<Node> make(Communicator& world) { return make(world, std::make_shared<Buffers>()); }

  /// The same node for `world`, a duplicate of its world: a separate SharedReduce, the same memory. Calls on
  /// the two are independent.
  std::unique_ptr<Node> duplicate(Communicator& world) const { return make(world, buffers_); }

  Communicator& ranks() { return *ranks_; }
  SharedReduce& shared_reduce() { return *shared_reduce_; }

  /// The ranks with this local rank on all nodes, one per node; null if there is one node.
  Communicator* across() { return across_.get(); }

  /// Memory of this rank that the other ranks of its node read and write in place; zeroed. Collective over
  /// the node; sizes may differ. Nothing, on all ranks, if memory is exhausted.
  std::optional<std::span<std::byte>> allocate(std::size_t size_bytes);

  /// Frees memory of allocate(). Collective over the node, in the same order on all ranks. Returns false if
  /// it is not from allocate().
  bool free(const void* memory);

  /// The address in this process of `pieces[i]` of each rank of the node: [i][rank]. Collective over the
  /// node; each rank passes its own pieces, all the same number. Nothing, on all ranks, if any piece is not
  /// in memory of allocate().
  using Views = std::vector<std::vector<std::byte*>>;
  std::optional<Views> find(std::span<const std::span<const std::byte>> pieces);

 private:
  /// The buffers from allocate(), by a number that is the same on all ranks.
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
