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

#include "adasum/types/descriptor.h"

namespace adasum::sockets {

/// A message on its way out. Its owner keeps it, and the bytes, until it is done or the connection is lost.
struct Send {
  std::uint32_t world = 0;
  std::span<const std::byte> bytes;
  std::size_t written = 0;  ///< with its header
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
/// bytes (world, kind, length; little-endian), in order. A message that nobody waits for yet is kept, up to a
/// bound; then nothing more is read until there is room for it, or somebody waits for it. Never blocks. One
/// thread.
///
/// States:
///   open --leave() of the other side-->         left   (its messages so far can still be received)
///   open --end of file, error of the system-->  lost
///   open --give_up() of either side-->          lost
class Connection {
 public:
  enum class State { open, left, lost };

  /// `most_kept`: bytes of messages that nobody waits for yet.
  Connection(Descriptor socket, std::size_t most_kept) : socket_(std::move(socket)), most_kept_(most_kept) {}
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

  const Descriptor& socket() const { return socket_; }

 private:
  static constexpr std::size_t header_bytes = 16;
  static constexpr std::size_t kept_overhead = 1024;  // of a message, in memory
  enum class Kind : std::uint32_t { message = 1, leave = 2, give_up = 3 };
  using Header = std::array<std::byte, header_bytes>;

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
  };

  static Header header_of(Kind kind, std::uint32_t number, std::uint64_t length);
  void say(Kind kind, std::uint32_t number);
  bool write();
  bool read();
  bool read_header();
  bool read_body();
  void begin(std::uint32_t world, std::uint64_t length);
  void complete();
  void go_on_with_held();
  Receive* take_awaited(std::uint32_t world);
  bool give_kept(Receive& receive);
  bool give_arriving(Receive& receive);
  void assign(Receive& receive);
  static void give(Receive& receive, std::span<const std::byte> message);

  Descriptor socket_;
  std::size_t most_kept_;
  std::size_t kept_bytes_ = 0;
  State state_ = State::open;
  std::string reason_;
  std::optional<int> culprit_;
  std::deque<Send*> sends_;
  std::map<std::uint32_t, std::deque<Receive*>> awaited_;
  std::map<std::uint32_t, std::deque<std::vector<std::byte>>> kept_;
  Header header_{};
  std::size_t header_got_ = 0;
  std::optional<Held> held_;
  std::optional<Arrival> arrival_;
};

}  // namespace adasum::sockets
