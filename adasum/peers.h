// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace adasum {

/// The other ranks of a world, and how to reach them. Every call but rank() and size() is made by all ranks
/// it names, in the same order, and blocks until its result is there. One thread per rank.
///
/// Errors: adasum::Error where a peer is gone or lengths disagree.
class Peers {
 public:
  virtual ~Peers() = default;

  /// This rank, 0 <= rank() < size().
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Sends `out` to `peer` while receiving `in` from it. The two must not overlap; the sizes of one side
  /// are those of the other, crossed. Sizes are not limited to 31 bits.
  virtual void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) = 0;

  /// An exchange with every other rank at once: out[r] goes to rank r, in[r] comes from it. Both are lists of size()
  /// buffers; what they have for this rank is not looked at.
  virtual void exchange_all(std::span<const std::span<const std::byte>> out,
                            std::span<const std::span<std::byte>> in) = 0;

  /// One way of an exchange: `send` here is matched by `receive` there.
  virtual void send(int peer, std::span<const std::byte> out) = 0;
  virtual void receive(int peer, std::span<std::byte> in) = 0;

  /// `data` of `root`, on every rank.
  virtual void broadcast(std::span<std::byte> data, int root) = 0;

  /// `mine` of every rank in order of rank, `all.size() == size() * mine.size()`.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;

  /// Sum over the ranks, in place, bit-equal on every rank.
  virtual void sum(std::span<double> values) = 0;
  virtual void sum(std::span<float> values) = 0;

  /// The ranks that call with the same `color`, ordered by their rank here. Collective; outlives *this.
  virtual std::unique_ptr<Peers> split(int color) = 0;

  /// The ranks that run on the same machine as this one, ordered likewise. Collective; outlives *this.
  virtual std::unique_ptr<Peers> split_by_node() = 0;
};

}  // namespace adasum
