// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <random>
#include <thread>
#include <utility>

#include "adasum/sockets/link.h"
#include "adasum/types/descriptor.h"

namespace adasum::sockets {

/// What becomes of a connection after some bytes.
enum class Fault {
  none,
  pieces,     ///< Until then it carries a few bytes at a time.
  delay,      ///< It carries on, later.
  stall,      ///< It carries nothing more, in either direction.
  half_open,  ///< It carries nothing more in one direction.
  reset,      ///< It ends.
  change,     ///< A bit of the next byte of one direction is changed.
};

/// Or has a rank give up that finds a changed one.
constexpr bool loses_bytes(Fault fault) {
  return fault == Fault::stall || fault == Fault::half_open || fault == Fault::reset ||
         fault == Fault::change;
}

/// Carries bytes between two blocking sockets, with a fault after `after` bytes of one direction. Two
/// threads.
class FaultyLink {
 public:
  FaultyLink(Descriptor one, Descriptor other, Fault fault, std::size_t after, unsigned seed);

  /// Ends the connection.
  ~FaultyLink();
  FaultyLink(const FaultyLink&) = delete;
  FaultyLink& operator=(const FaultyLink&) = delete;

 private:
  void carry(int from, int to, std::mt19937 random, bool is_faulty);

  Descriptor one_;
  Descriptor other_;
  Fault fault_;
  std::size_t after_;
  std::jthread there_;
  std::jthread back_;
};

/// Two connected sockets, or the ends of a pipe: what is read from, then what is written to.
std::pair<Descriptor, Descriptor> socket_pair(int flags = 0);
std::pair<Descriptor, Descriptor> pipe_ends();

/// Both ends of a connection, as after a handshake.
std::pair<Link, Link> linked(Descriptor one, Descriptor other);

}  // namespace adasum::sockets
