// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "adasum/sockets/link.h"
#include "adasum/sockets/secret.h"
#include "adasum/types/descriptor.h"
#include "adasum/types/error.h"

namespace adasum::sockets {

/// Who opens a connection, and to whom.
struct Introduction {
  std::uint64_t generation = 0;  ///< Of the world: its members change from one to the next.
  std::uint32_t world_size = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Messages messages = Messages::authenticated;  ///< Of the one who says it.

  bool operator==(const Introduction&) const = default;
};

/// The other side of a connection does not know the secret of this world.
class WrongSecret : public Error {
 public:
  using Error::Error;
};

/// The other side is a rank of this world, but one of both authenticates messages and the other does not.
class UnlikeMessages : public Error {
 public:
  using Error::Error;
};

/// How two ranks prove to each other, on a new connection, that they know the secret of their world. The
/// secret does not leave either of them, and what one session has said is worth nothing in another.
///
///   connector                                      acceptor
///     "ADASUM3\n", introduction, nonce a  -->
///                                         <--  nonce b, HMAC("acceptor", introduction, a, b)
///     HMAC("connector", introduction, a, b) -->
///                                         <--  1: taken
///
/// An acceptor with too many of them may hang up before the end: only then does a connector take itself for
/// connected. Each side has its own `messages` in what it proves, so that nobody between them changes that.
/// The keys of the tags (see Link) are two more HMACs, one for each direction.
///
/// Never blocks; holds at most 64 bytes of the other side. One thread.
class Handshake {
 public:
  /// The connector's side of `connection`.
  static Handshake of_connector(Descriptor connection, const Introduction& mine, const Secret& secret);

  /// The acceptor's side: the other's introduction must name this generation, world and rank (`expected.from`
  /// is not looked at, `expected.messages` is this side's).
  static Handshake of_acceptor(Descriptor connection, const Introduction& expected, const Secret& secret);

  /// Continues as far as possible. True once both sides have proved what they know. Throws adasum::Error if
  /// the other side is gone or is not of this world (WrongSecret), or UnlikeMessages; the message says so
  /// without quoting what it sent.
  bool progress();

  /// Of an acceptor's side: whether the other side has said yet who it is.
  bool has_introduction() const { return waits_ != Waits::for_introduction; }

  const Descriptor& connection() const { return connection_; }

  /// Of a handshake that is complete.
  Link take_link();

  /// The other side's introduction (of an acceptor's handshake that is complete), or this side's.
  const Introduction& introduction() const { return introduction_; }

 private:
  enum class Waits { for_introduction, for_nonce, for_proof, for_confirmation, for_nothing };

  Handshake(Descriptor connection, const Introduction& introduction, const Secret& secret, Waits waits);
  bool has_arrived(std::size_t bytes);
  void send(const std::vector<std::byte>& message);
  void take_introduction();
  void take_nonce();
  void take_proof();
  void take_confirmation();
  std::vector<std::byte> transcript(char purpose, Messages messages) const;

  Descriptor connection_;
  Introduction introduction_;
  Secret secret_;
  Waits waits_;
  bool is_acceptor_;
  Messages messages_;  // of this side
  Nonce connectors_{};
  Nonce acceptors_{};
  std::array<std::byte, 64> arrived_{};
  std::size_t count_ = 0;
};

}  // namespace adasum::sockets
