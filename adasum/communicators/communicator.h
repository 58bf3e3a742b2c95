// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace adasum {

/// The ranks of one world, and the messages between them: what MPI calls a communicator. Implementations:
/// threads of one process (thread_communicator.h), MPI processes (mpi_communicator.h).
///
/// Every call but rank() and size() is made by all the ranks that it names, in the same order, and blocks
/// until its result is there (within a Fiber, it leaves the fiber meanwhile). One thread per rank.
///
/// Errors: adasum::Error where a rank is gone or lengths disagree.
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// This rank, 0 <= rank() < size().
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Sends `out` to rank `peer` while receiving `in` from it. The two must not overlap; the sizes of one side
  /// are those of the other, crossed. Sizes are not limited to 31 bits.
  virtual void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) = 0;

  /// An exchange with every other rank at once (all-to-all): out[r] goes to rank r, in[r] comes from it. Both
  /// are lists of size() buffers; the buffers for this rank itself are ignored.
  virtual void exchange_all(std::span<const std::span<const std::byte>> out,
                            std::span<const std::span<std::byte>> in) = 0;

  /// One direction of an exchange: `send` here is matched by `receive` there.
  virtual void send(int peer, std::span<const std::byte> out) = 0;
  virtual void receive(int peer, std::span<std::byte> in) = 0;

  /// `data` of `root`, on every rank.
  virtual void broadcast(std::span<std::byte> data, int root) = 0;

  /// `mine` of every rank in order of rank, `all.size() == size() * mine.size()`.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;

  /// Allreduce: sum over the ranks, in place, bit-equal on every rank.
  virtual void sum(std::span<double> values) = 0;
  virtual void sum(std::span<float> values) = 0;

  /// The ranks that call with the same `color`, ordered by their rank here. Collective; outlives *this.
  virtual std::unique_ptr<Communicator> split(int color) = 0;

  /// The ranks that run on the same machine as this one, ordered likewise. Collective; outlives *this.
  virtual std::unique_ptr<Communicator> split_by_node() = 0;
};

/// The lowest rank that passes false, the same answer on every rank; nothing where all pass true. One
/// all-gather of a byte. Collective over `communicator`; throws adasum::Error where a rank is gone.
std::optional<int> first_without(bool has, Communicator& communicator);

}  // namespace adasum
