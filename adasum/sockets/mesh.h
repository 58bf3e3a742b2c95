// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adasum/communicators/deadline.h"
#include "adasum/sockets/connection.h"
#include "adasum/sockets/link.h"
#include "adasum/types/descriptor.h"

namespace adasum::sockets {

/// The limits of a Mesh.
struct MeshOptions {
  /// A wait in which no byte moves for so long is given up. As long as gloo's.
  std::chrono::milliseconds deadline = std::chrono::minutes(30);

  /// A machine that has acknowledged nothing for so long is gone. A rank that is merely slow does not count:
  /// its machine answers.
  std::chrono::milliseconds silence = std::chrono::seconds(20);

  /// Bytes of messages from one rank that this one does not wait for yet; what is beyond them stays with the
  /// sender, as do all messages behind it.
  std::size_t most_kept = std::size_t{1} << 30;

  /// Ends every wait, with an error, once it can be read from or is closed at the other end; -1: none.
  /// Borrowed.
  int abort_descriptor = -1;

  RankNames names = {};
};

/// The connections of one rank to all others, and its waits for messages. A wait that fails ends them all:
/// otherwise a later one could take an earlier one's messages. One thread.
class Mesh {
 public:
  /// A message to `peer`, or from it.
  struct Outgoing {
    int peer = 0;
    std::span<const std::byte> bytes;
  };
  struct Incoming {
    int peer = 0;
    std::span<std::byte> bytes;
  };

  /// `connections`: by rank; that of this rank is empty.
  Mesh(int rank, std::vector<Link> connections, const MeshOptions& options);

  /// Says to the other ranks that no more messages follow.
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  int rank() const { return rank_; }
  const RankNames& names() const { return options_.names; }
  WaitLimits wait_limits() const { return {options_.deadline, options_.abort_descriptor}; }
  int size() const { return static_cast<int>(connections_.size()); }

  /// Sends and receives these messages of `world`, all at once. Messages of one world between two ranks keep
  /// their order. Returns when all have been received, and the system has taken all that are sent; in a Fiber
  /// it suspends the fiber.
  ///
  /// Throws, naming the rank: PeerLost if the other side of one of them has left, if any rank of the mesh is
  /// lost, at the deadline, or if the abort descriptor says so; adasum::Error if lengths disagree. All later
  /// calls then throw the same. Bytes that were to be received are undefined. With no messages it only looks
  /// whether there is reason to throw.
  void transfer(std::uint32_t world, std::span<const Outgoing> outgoing, std::span<const Incoming> incoming);

  /// Makes all later calls throw PeerLost, here and on the other ranks.
  void give_up();

 private:
  class Transfer;

  /// The lowest lost peers: one that ended between messages, one in a message, and one that said for whom it
  /// gave up.
  struct LostPeers {
    std::optional<int> ended;
    std::optional<int> cut_off;
    std::optional<int> gave_up;
  };

  Connection& of(int peer);
  void wait_for(Transfer& transfer);
  bool poll(int timeout_ms);
  void watch(int peer);
  void look_for_silence();
  LostPeers lost_peers() const;
  void throw_if_lost();
  [[noreturn]] void throw_lost(int peer);
  void throw_if_aborted();
  [[noreturn]] void throw_ended_from_outside() const;
  [[noreturn]] void lose(int peer, const std::string& why);
  void break_off(std::exception_ptr failure);

  int rank_;
  MeshOptions options_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<std::uint32_t> watched_;  // what epoll reports of each
  std::vector<int> silent_looks_;       // in a row
  KeptFromChildren kept_from_children_;
  Descriptor epoll_;
  int culprit_;  // for which this rank gave up; its own: none
  std::exception_ptr failure_;
  std::chrono::steady_clock::time_point look_for_abort_again_;
};

}  // namespace adasum::sockets
