// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace adasum {

/// The state of a barrier, in memory that processes share. All zero is its initial state: it is not
/// constructed.
///
/// A round: each rank adds 1 to `arrived`; the last one of them sets it to 0, then adds 1 to `round`, which
/// the others wait for. All operations are sequentially consistent. Once `left` is not 0 it stays so: no
/// further round completes, and wait() throws.
struct BarrierState {
  std::atomic<std::uint32_t> arrived;  ///< Ranks that are in wait() of this round.
  std::atomic<std::uint32_t> round;    ///< Barriers passed; the futex that ranks sleep on.
  std::atomic<std::uint32_t> left;     ///< 1 + the first rank that was destroyed; 0: none.
};

/// One rank's end of a barrier between processes: spins shortly where each rank has a core, then sleeps on a
/// futex.
///
/// Algorithm: the centralized barrier of Mellor-Crummey and Scott, "Algorithms for Scalable Synchronization
/// on Shared-Memory Multiprocessors", 1991, section 3.1, with a count of rounds in place of the sense.
///
///   Barrier barrier(state, processes, rank);  // each rank, `state` in memory of all
///   mine = ...;      // write to shared memory
///   barrier.wait();
///   use(theirs);     // read what the others have written
///   barrier.wait();  // before anyone overwrites it
///
/// Memory ordering: all writes of every rank before its call of wait() happen before the return of every
/// rank's wait() of that round (sequentially consistent operations on `arrived` and `round`). Data between
/// barriers needs no atomics.
///
/// One thread per rank. `state` and `processes` must outlive it.
class Barrier {
 public:
  /// `processes`: the process ids of the ranks, in order of rank.
  Barrier(BarrierState& state, std::span<const std::int64_t> processes, int rank);

  /// Tells the other ranks, whose wait() throws from then on.
  ~Barrier();
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;

  /// Returns when all ranks have called it. Within a Fiber that is not to block, it suspends the fiber
  /// instead of sleeping. Throws adasum::Error that names a rank where one has left or, seen within about a
  /// second, its process is gone.
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
