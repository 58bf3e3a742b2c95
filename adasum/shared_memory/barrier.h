// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "adasum/communicators/deadline.h"

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
  /// 1 + the first rank that left, or that the others gave up; 0: none. With `gave_up` if it did so itself.
  std::atomic<std::uint32_t> left;
  static constexpr std::uint32_t gave_up = 1U << 31U;
};

/// A rank that meets others at a barrier.
struct BarrierRank {
  std::int64_t process = 0;     ///< Its id.
  std::int64_t world_rank = 0;  ///< By which errors name it.
};

/// One rank's side of a barrier between processes: spins briefly if each rank has a core, else yields its
/// core a few times, then sleeps on a futex.
///
/// Algorithm: the centralized barrier of Mellor-Crummey and Scott, "Algorithms for Scalable Synchronization
/// on Shared-Memory Multiprocessors", 1991, section 3.1, with a round count instead of the sense flag.
///
///   Barrier barrier(state, ranks, rank, limits);  // each rank; all ranks share the memory of `state`
///   mine = ...;      // write to shared memory
///   barrier.wait();
///   use(theirs);     // read what the others have written
///   barrier.wait();  // before any rank overwrites it
///
/// Memory ordering: all writes of every rank before its call of wait() happen before the return of every
/// rank's wait() of that round (sequentially consistent operations on `arrived` and `round`). Data between
/// barriers needs no atomics.
///
/// One thread per rank. `state` and `ranks` must outlive it.
class Barrier {
 public:
  /// `ranks`: all of them, in rank order; `rank`: this one's index.
  Barrier(BarrierState& state, std::span<const BarrierRank> ranks, int rank, const WaitLimits& limits);

  /// Marks this rank as left: from then on the wait() of the other ranks throws. Not in a process that the
  /// rank has forked.
  ~Barrier();
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;

  /// Returns when all ranks have called it. In a Fiber that must not block, it suspends the fiber instead of
  /// sleeping. Throws PeerLost that names a rank if that rank's Barrier was destroyed, or if its process has
  /// ended (noticed within a tenth of a second for each rank that has left, and one more), if the
  /// deadline of one has passed, and if the limits say so (the descriptor is noticed within a tenth of a
  /// second, too, also by waits that are short).
  void wait();

  /// From now on the wait() of the other ranks throws, and says that this one gave up. Not in a process that
  /// the rank has forked.
  void give_up();

 private:
  bool is_fork() const;
  void mark_left(std::uint32_t left);
  void wake_all();
  bool sleep(std::uint32_t round);
  void throw_if_aborted();
  void throw_if_left(std::uint32_t round);
  void throw_if_next_is_dead(std::uint32_t round);
  void throw_if_late(std::uint32_t round, const Deadline& deadline);
  void throw_unless_complete(std::uint32_t round, std::size_t left, const std::string& why);
  std::string name_of(std::size_t rank) const;

  BarrierState& state_;
  std::span<const BarrierRank> ranks_;
  int rank_;
  WaitLimits limits_;
  std::size_t looked_at_;  // the process that was looked at last
  std::chrono::steady_clock::time_point look_again_;
  std::chrono::steady_clock::time_point look_for_abort_again_;
  int spins_;
  int yields_;
};

}  // namespace adasum
