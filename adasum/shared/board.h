// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/scalars.h"
#include "adasum/shared/barrier.h"
#include "adasum/shared/shared_memory.h"

namespace adasum {

/// Where the ranks of a node meet, and leave numbers for one another, in memory that they share: one barrier for
/// each sum, whatever it has of numbers up to a limit.
class Board : public Scalars {
 public:
  /// Collective over `node`. Nothing, on all ranks, where they share no memory.
  static std::unique_ptr<Board> make(Peers& node);

  void sum(std::span<double> values) override;
  void max(std::span<double> values) override;

  /// Returns when all ranks have called it; what they wrote to shared memory before is then seen.
  void wait_for_all() { barrier_->wait(); }

 private:
  Board(std::unique_ptr<SharedMemory> memory, int rank, int size);

  template <typename Fold>
  void fold(std::span<double> values, const Fold& fold);
  std::span<double> slot(int rank);

  std::unique_ptr<SharedMemory> memory_;
  int rank_;
  int size_;
  bool odd_ = false;  // which of the two slots of each rank is in use
  std::vector<std::int64_t> processes_;
  std::optional<Barrier> barrier_;
};

}  // namespace adasum
