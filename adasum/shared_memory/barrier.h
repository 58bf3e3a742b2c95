// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace adasum {

/// The state of a barrier, in memory that processes share. Its initial state is all zero; it is not
/// constructed.
///
/// A round: each rank adds 1 to `arrived`; the last rank resets it to 0, then adds 1 to `round`, which the
/// others wait for. All operations are sequentially consistent. Once `left` is not 0 it never changes: no
/// further round completes, and wait() throws.
struct BarrierState {
  std::atomic<std::uint32_t> arrived;  ///< Ranks that are in wait() in this round.
  std::atomic<std::uint32_t> round;    ///< Rounds completed; ranks sleep on it as a futex.
  std::atomic<std::uint32_t> left;     ///< 1 + the first rank whose Barrier was destroyed; 0: none.
};

/// One rank's side of a barrier between processes: spins briefly if each rank has a core, then sleeps on a
/// futex.
///
/// Algorithm: the centralized barrier of Mellor-Crummey and Scott, "Algorithms for Scalable Synchronization
/// on Shared-Memory Multiprocessors", 1991, section 3.1, with a round count instead of the sense flag.
///
///   Barrier barrier(state, processes, rank);  // each rank; all ranks share the memory of `state`
///   mine = ...;      // write to shared memory
///   barrier.wait();
///   use(theirs);     // read what the others have written
///   barrier.wait();  // before any rank overwrites it
///
/// Memory ordering: all writes of every rank before its call of wait() happen before the return of every
/// rank's wait() of that round (sequentially consistent operations on `arrived` and `round`). Data between
/// barriers needs no atomics.
///
/// One thread per rank. `state` and `processes` must outlive it.
class Barrier {
 public:
  /// `processes`: the process ids of the ranks, in rank order.
  Barrier(BarrierState& state, std::span<const std::int64_t> processes, int rank);

  /// Marks this rank as left: from then on the wait() of the other ranks throws.
  ~Barrier();
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;

  /// Returns when all ranks have called it. In a Fiber that must not block, it suspends the fiber instead of
  /// sleeping. Throws adasum::Error that names a rank if that rank's Barrier was destroyed, or if its process
  /// has ended (noticed within about a second).
  void wait();

 private:
  void wake_all();
  void sleep(std::uint32_t round) const;
  void throw_if_left() const;
  void throw_if_dead() const;
  [[noreturn]] static void throw_for(std::size_t rank);

  BarrierState& state_;
  std::span<const std::int64_t> processes_;
  int rank_;
  int spins_;
};

}  // namespace adasum
