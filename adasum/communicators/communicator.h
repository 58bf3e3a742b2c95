// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/communicators/deadline.h"

namespace adasum {

/// The ranks of one world, and messages between them, like an MPI communicator. Implementations: threads of
/// one process (thread_communicator.h), MPI processes (mpi_communicator.h), processes connected by TCP
/// (adasum/sockets/socket_communicator.h).
///
/// Every call except rank() and size() is made by all the ranks that it names, in the same order, and blocks
/// until its result is available (in a Fiber, it suspends the fiber instead). One thread per rank.
///
/// Errors: adasum::Error if a rank has ended or lengths disagree.
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// This rank, 0 <= rank() < size().
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Sends `out` to rank `peer` while receiving `in` from it. The two must not overlap. The size of `out` on
  /// one side is the size of `in` on the other. Sizes are not limited to 31 bits.
  virtual void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) = 0;

  /// An exchange with every other rank at once (all-to-all): out[r] is sent to rank r, in[r] is received from
  /// it. Both are lists of size() buffers; the buffers for this rank itself are ignored.
  virtual void exchange_all(std::span<const std::span<const std::byte>> out,
                            std::span<const std::span<std::byte>> in) = 0;

  /// One direction of an exchange: `send` on one rank matches `receive` on the other.
  virtual void send(int peer, std::span<const std::byte> out) = 0;
  virtual void receive(int peer, std::span<std::byte> in) = 0;

  /// Copies `data` of rank `root` to every rank.
  virtual void broadcast(std::span<std::byte> data, int root) = 0;

  /// Concatenates `mine` of every rank in rank order; `all.size() == size() * mine.size()`.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;

  /// Allreduce: sum over the ranks, in place, bit-equal on every rank.
  virtual void sum(std::span<double> values) = 0;
  virtual void sum(std::span<float> values) = 0;

  /// The ranks that call with the same `color`, ordered by their rank here. Collective. The result may
  /// outlive *this.
  virtual std::unique_ptr<Communicator> split(int color) = 0;

  /// The ranks on the same machine as this one, ordered by their rank here. Collective. The result may
  /// outlive *this.
  virtual std::unique_ptr<Communicator> split_by_node() = 0;

  /// By which errors name `rank`: its rank in the world that this communicator was split from; where members
  /// of an elastic job have changed, its number at the start of the job.
  virtual int world_rank(int rank) const { return rank; }

  /// Of waits in memory that ranks share, which no message ends.
  virtual WaitLimits wait_limits() const { return {}; }

  /// A call has failed on this rank, which makes no further one: those of the others throw, where they can be
  /// told. Not collective.
  virtual void give_up() {}
};

/// An all-gather of one value of each rank, in rank order. Collective over `communicator`.
template <typename T>
std::vector<T> gather(Communicator& communicator, const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// For implementations: throws adasum::Error unless `all` has room for `mine` of each of `ranks` ranks.
void require_room(std::span<const std::byte> mine, std::span<std::byte> all, int ranks);

/// The lowest rank that passes false, the same on every rank; nothing if all pass true. One all-gather of a
/// byte. Collective over `communicator`; throws adasum::Error if a rank has ended.
std::optional<int> first_without(bool has, Communicator& communicator);

}  // namespace adasum
