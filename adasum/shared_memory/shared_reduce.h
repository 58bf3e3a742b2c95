// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

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

}  // namespace adasum
