// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adasum/sockets/secret.h"
#include "adasum/types/descriptor.h"

namespace adasum::sockets {

/// Writes a number as it goes over the wire: little-endian.
template <typename Number>
void put_number(std::byte* at, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i) at[i] = static_cast<std::byte>(number >> (8 * i));
}

/// The number that put_number() wrote at `at`.
template <typename Number>
Number number_at(const std::byte* at) {
  Number number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i)
    number |= static_cast<Number>(std::to_integer<Number>(at[i]) << (8 * i));
  return number;
}

/// Whether what two ranks send each other after their handshake carries tags, which nobody can make without
/// the secret of the world. The same on all ranks.
enum class Messages : std::uint32_t { authenticated = 0, plain = 1 };

/// What stands behind a message, or behind its header.
using Tag = std::array<std::byte, 16>;

/// Compares in constant time.
bool same(const Tag& one, const Tag& other);

/// The tags of one direction of a connection, in the order of its messages: those of ChaCha20-Poly1305 (RFC
/// 8439) without its encryption. Each message has two keys that are used once, for its header and its bytes:
/// a block of ChaCha20 under the key of the direction, whose nonce is the number of the message. So no
/// message can be changed, left out, repeated, put elsewhere or sent back. One thread.
class MessageTags {
 public:
  explicit MessageTags(const Proof& key);
  ~MessageTags();
  MessageTags(MessageTags&&) noexcept;
  MessageTags& operator=(MessageTags&&) noexcept;

  /// Begins the next message: the tag of its header.
  Tag begin(std::span<const std::byte> header);

  /// The next bytes of the message, and the tag of all of them.
  void add(std::span<const std::byte> bytes);
  Tag end();

 private:
  struct State;  // libsodium's
  std::unique_ptr<State> state_;
};

/// The connection to another rank with which this one has proved itself.
struct Link {
  /// What this rank sends, and what it gets.
  struct Tags {
    MessageTags sent;
    MessageTags received;
  };

  Descriptor socket;
  std::unique_ptr<Tags> tags = {};  ///< Null: plain messages.

  explicit operator bool() const { return static_cast<bool>(socket); }
};

/// Keeps connections out of processes that this one forks: there they become /dev/null. Otherwise the other
/// ranks would not see them end together with this process while such a child lives (a worker that loads
/// data), and a child that ends normally would say over them that this rank has left.
class KeptFromChildren {
 public:
  /// Borrows the sockets of `links` until it is destroyed; empty ones are ignored.
  explicit KeptFromChildren(std::span<const Link> links);
  ~KeptFromChildren();
  KeptFromChildren(const KeptFromChildren&) = delete;
  KeptFromChildren& operator=(const KeptFromChildren&) = delete;

 private:
  std::vector<int> descriptors_;
};

/// What errors call the ranks of a world. After the members of an elastic job have changed, a rank has
/// another number in the world than the job's users know it by.
class RankNames {
 public:
  RankNames() = default;

  /// `numbers`: those at the start of the job, by rank.
  explicit RankNames(std::vector<int> numbers) : numbers_(std::move(numbers)) {}

  int number(int rank) const {
    const bool is_numbered = rank >= 0 && static_cast<std::size_t>(rank) < numbers_.size();
    return is_numbered ? numbers_[static_cast<std::size_t>(rank)] : rank;
  }
  std::string name(int rank) const { return "rank " + std::to_string(number(rank)); }

 private:
  std::vector<int> numbers_;
};

}  // namespace adasum::sockets
