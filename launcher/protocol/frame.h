// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/protocol/messages.h"

namespace adarun::launcher::protocol {

/// What an agent writes before its first frame. A login shell may print something before that: see
/// FrameReader.
inline constexpr std::string_view magic =
    "\x01"
    "adarun-agent 1\n";

/// The largest payload of a frame that is accepted, in bytes: a rank table of 40 MiB fits.
inline constexpr std::size_t max_payload_bytes = 64U << 20U;

/// The same for the data that the MPI processes of one node exchange with others: some tens of KiB per rank.
inline constexpr std::size_t most_fence_bytes = 16U << 20U;

/// The same for the names that a rank publishes at once, of most_requested_bytes.
inline constexpr std::size_t most_name_request_bytes = 2U << 20U;

/// A payload of at least this size is packed (pack.h) if that saves a quarter or more. Output and parts of
/// files are not, to save processor time (the sender of a FetchPart packs its bytes).
inline constexpr std::size_t least_packed_bytes = 4U << 10U;

/// One frame: payload length (u32, little-endian), type (u8; 0x80 added if the payload is packed), payload.
std::string encode(const Message& message);

/// Whether the bytes of a stream begin with `magic` (an agent's output) or with the first frame.
enum class Opening { magic, frame };

/// Who has written a stream.
enum class Sender { launcher, agent };

/// Splits a stream of bytes into messages. Only those are taken that its sender may send (Direction). The
/// size of a message from an agent is limited by its type, before and after unpacking, since a launcher has
/// thousands of agents. Not thread-safe.
class FrameReader {
 public:
  /// By default of the agent's stream if it begins with the magic, else of the launcher's.
  explicit FrameReader(Opening opening)
      : FrameReader(opening, opening == Opening::magic ? Sender::agent : Sender::launcher) {}
  FrameReader(Opening opening, Sender sender) : sender_(sender), searching_(opening == Opening::magic) {}

  /// Continues a stream, without a magic, after its first `position` bytes. Call before anything else.
  void begin_at(std::uint64_t position) { received_ = position; }

  /// Adds received bytes.
  void feed(std::string_view bytes);

  /// The next whole message, or nothing until more bytes are fed. Throws protocol::Error on a frame that is
  /// too long, malformed, or of a type that is unknown or that the other side must not send; the stream is
  /// unusable afterwards.
  std::optional<Message> next();

  /// How many bytes have arrived after the magic, and how many of them next() has returned as messages.
  std::uint64_t received() const { return received_; }
  std::uint64_t position() const { return received_ - (buffer_.size() - used_); }

  /// Removes and returns the bytes after the last message.
  std::string take_rest();

  /// What arrived before the magic: a login shell's greeting, or the error message of a node without agent.
  /// About its last 4096 bytes.
  std::string preamble() const { return searching_ ? preamble_ + buffer_ : preamble_; }

  /// Whether the magic was found (or none is expected).
  bool opened() const { return !searching_; }

 private:
  void find_magic();
  std::size_t most_bytes(std::size_t type) const;

  Sender sender_;
  bool searching_;
  std::string preamble_;
  std::string buffer_;
  std::size_t used_ = 0;
  std::uint64_t received_ = 0;
};

}  // namespace adarun::launcher::protocol
