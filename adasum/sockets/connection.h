// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adasum/sockets/link.h"
#include "adasum/types/descriptor.h"

namespace adasum::sockets {

/// A message on its way out. Its owner keeps it, and the bytes, until it is done or the connection is lost.
struct Send {
  std::uint32_t world = 0;
  std::span<const std::byte> bytes;
  std::size_t written = 0;  ///< with its header and tags
  bool done = false;
};

/// A message that somebody waits for: the next of its world on its connection. Likewise.
struct Receive {
  std::uint32_t world = 0;
  std::span<std::byte> bytes;
  std::optional<std::size_t> other_length;  ///< of the message that came, if it is not that of `bytes`
  bool done = false;
};

/// The connection to one other rank, after the handshake: messages of many worlds, each with a header of 16
/// bytes (world, kind, length; little-endian), in order. Unless messages are plain, a Tag stands behind the
/// header, and one behind the bytes where there are any: nothing is done by a header, and no message is done,
/// before its tag was right. A message that nobody waits for yet is kept, up to a bound; then nothing more is
/// read until there is room for it, or somebody waits for it. Never blocks. One thread.
///
/// States:
///   open --leave() of the other side-->         left   (its messages so far can still be received)
///   open --end of file, error of the system-->  lost
///   open --give_up() of either side-->          lost
///   open --wrong tag-->                         lost
class Connection {
 public:
  enum class State { open, left, lost };

  /// `most_kept`: bytes of messages that nobody waits for yet.
  Connection(Link link, std::size_t most_kept) : link_(std::move(link)), most_kept_(most_kept) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Begins to send, or to wait for the next message of that world that nobody waits for.
  void post(Send& send);
  void post(Receive& receive);

  /// Writes and reads as much as possible without waiting. Returns whether any byte moved.
  bool progress();

  /// Whether there are bytes that the system did not take yet, and whether there is room for more to come.
  bool wants_to_write() const { return state_ == State::open && !sends_.empty(); }
  bool wants_to_read() const { return state_ == State::open && !held_; }

  /// Says to the other side, if it takes a few bytes at once, that no more messages follow.
  void leave();

  /// Ends the connection, because this rank waits in vain for rank `culprit`, and says so. Forgets what was
  /// posted.
  void give_up(int culprit);

  /// Makes it lost.
  void lose(std::string reason);

  State state() const { return state_; }

  /// Why it is lost, in the words of the system.
  const std::string& reason() const { return reason_; }

  /// Whether it ended between two messages, as far as this side has read it.
  bool is_between_messages() const { return !arrival_ && !held_ && header_got_ == 0; }

  /// The rank for which the other side gave up.
  std::optional<int> culprit() const { return culprit_; }

  const Descriptor& socket() const { return link_.socket; }

 private:
  static constexpr std::size_t header_bytes = 16;
  static constexpr std::size_t kept_overhead = 1024;  // of a message, in memory
  enum class Kind : std::uint32_t { message = 1, leave = 2, give_up = 3 };
  /// With its tag, if there are tags.
  using Header = std::array<std::byte, header_bytes + sizeof(Tag)>;

  /// The first message on its way out.
  struct OutgoingMessage {
    Header header{};
    std::size_t tagged = 0;  ///< So many of its bytes are in its tag, and may be written.
    Tag tag{};
  };

  /// A message for which there is no room yet.
  struct Held {
    std::uint32_t world = 0;
    std::uint64_t length = 0;
  };

  /// The message that is arriving.
  struct Arrival {
    std::uint32_t world = 0;
    std::size_t length = 0;
    std::size_t got = 0;
    Receive* receive = nullptr;  // null: `kept` takes it
    std::vector<std::byte> kept;
    bool dropped = false;
    Tag tag{};
    std::size_t got_of_tag = 0;
  };

  /// Of a header with its tag, and of the tag of `bytes` bytes.
  std::size_t size_of_header() const { return header_bytes + (link_.tags ? sizeof(Tag) : 0); }
  std::size_t size_of_tag(std::size_t bytes) const { return link_.tags && bytes > 0 ? sizeof(Tag) : 0; }
  Header header_of(Kind kind, std::uint32_t number, std::uint64_t length);
  void say(Kind kind, std::uint32_t number);
  bool write();
  bool write_part(Send& send);
  void tag_more(const Send& send);
  bool read();
  bool read_header();
  bool read_body();
  std::span<std::byte> room_for(Arrival& arrival, std::span<std::byte> nowhere) const;
  void begin(std::uint32_t world, std::uint64_t length);
  void complete();
  void continue_with_held();
  Receive* take_awaited(std::uint32_t world);
  bool give_kept(Receive& receive);
  bool give_arriving(Receive& receive);
  void assign(Receive& receive);
  static void give(Receive& receive, std::span<const std::byte> message);

  Link link_;
  std::size_t most_kept_;
  std::size_t kept_bytes_ = 0;
  State state_ = State::open;
  std::string reason_;
  std::optional<int> culprit_;
  std::deque<Send*> sends_;
  std::optional<OutgoingMessage> outgoing_;
  std::map<std::uint32_t, std::deque<Receive*>> awaited_;
  std::map<std::uint32_t, std::deque<std::vector<std::byte>>> kept_;
  Header header_{};
  std::size_t header_got_ = 0;
  std::optional<Held> held_;
  std::optional<Arrival> arrival_;
};

}  // namespace adasum::sockets
