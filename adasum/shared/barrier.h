// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

namespace adasum {

/// A barrier in memory that processes share. Zeroes are its initial state; it lies there, and is not made.
struct BarrierState {
  std::atomic<std::uint32_t> arrived;
  std::atomic<std::uint32_t> round;
  std::atomic<std::uint32_t> broken;  ///< 1 + the rank that has left.
};

/// One rank's way to a barrier. `state`, and `processes`, must outlive it.
class Barrier {
 public:
  /// `processes` are the ids of the ranks' processes, in order of rank.
  Barrier(BarrierState& state, std::span<const std::int64_t> processes, int rank);

  /// Tells the others, who would wait for ever.
  ~Barrier();
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;

  /// Returns when all ranks have called it; what they wrote before is then seen. Throws adasum::Error that names
  /// a rank where one has left or its process is gone.
  void wait();

 private:
  void wake_all();
  void sleep(std::uint32_t round) const;
  void refuse_the_broken() const;
  void refuse_the_dead() const;
  [[noreturn]] static void refuse(std::size_t rank);

  BarrierState& state_;
  std::span<const std::int64_t> processes_;
  int rank_;
  int spins_;
};

}  // namespace adasum
