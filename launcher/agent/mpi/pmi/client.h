// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent::pmi {

/// A request or answer of PMI-1, the protocol between MPICH programs and their process manager. Most are one
/// line, "cmd=NAME KEY=VALUE KEY=VALUE\n"; a few requests have several lines: "mcmd=NAME\n", then
/// "KEY=VALUE\n" each, then "endcmd\n".
struct Command {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;

  /// The value of the last `key`; empty if there is none.
  std::string_view value(std::string_view key) const;

  bool operator==(const Command&) const = default;
};

/// Splits KEY=VALUE at the first '='; nothing if there is no '=' or no key.
std::optional<std::pair<std::string, std::string>> parse_pair(std::string_view text);

/// Parses a line, without its line end, that begins with cmd=; nothing if it does not, or if a word is not
/// KEY=VALUE. In publish_name and the like, each word behind the first pair belongs to the value before it
/// unless it is the first that begins with service=, or with port= where one is published.
std::optional<Command> parse_line(std::string_view line);

/// The command as one line, with its line end. Names, keys and values must contain no blanks or line ends.
std::string line_of(const Command& command);

/// Splits the byte stream of a rank into commands. Its memory is bounded for any input.
class CommandReader {
 public:
  /// MPICH writes lines of 1024 bytes at most.
  static constexpr std::size_t max_line_bytes = 8U << 10U;

  /// Of a command of several lines.
  static constexpr std::size_t max_command_bytes = 64U << 10U;

  /// Adds received bytes. Call when next() has returned nothing.
  void feed(std::string_view bytes);

  /// Whether next() has a whole line to read.
  bool has_line() const { return buffer_.find('\n', used_) != std::string::npos; }

  /// The next whole command, or nothing until more bytes are fed. Throws agent::Error if the bytes are not
  /// PMI-1, or a line or command is too long; the stream is unusable afterwards.
  std::optional<Command> next();

 private:
  std::optional<Command> take(std::string_view line);

  std::string buffer_;
  std::size_t used_ = 0;
  std::optional<Command> open_;  ///< A command of several lines whose end has not arrived.
  std::size_t open_bytes_ = 0;
};

/// The server's end of the socket to one rank. Nothing here blocks: answers that the rank does not read are
/// buffered, and while the buffer is full, requests are neither taken nor read from the rank.
class Client {
 public:
  /// Bytes read from a rank at a time.
  static constexpr std::size_t turn_bytes = 16U << 10U;

  /// Bytes of unread answers from which on requests are no longer read.
  static constexpr std::size_t max_unread_bytes = 64U << 10U;

  Client(std::uint32_t rank, base::FileDescriptor socket) : rank_(rank), socket_(std::move(socket)) {}

  std::uint32_t rank() const { return rank_; }

  /// The descriptor to poll and its poll(2) events; -1 after either side has closed the socket.
  int fd() const { return socket_.get(); }
  short events() const;

  /// Sends answers, and reads once unless a whole line is there already: requests that are not taken fill no
  /// memory. True if next() may have something.
  bool exchange();

  /// The next request, while there is room for its answer. Throws agent::Error if the bytes are not PMI-1.
  std::optional<Command> next();

  void answer(const Command& command);

  /// Sends what the rank did not ask for, behind the answers that it has not read. One that is not sent yet
  /// is replaced: a rank that does not read costs no memory.
  void tell(const Command& command);
  void close() { socket_.reset(); }

  bool connected = false;                     ///< It has sent init.
  bool finalized = false;                     ///< It has sent finalize since then.
  bool aborted = false;                       ///< It has sent abort.
  bool in_barrier = false;                    ///< It waits for the other ranks.
  bool stays_on = false;                      ///< It continues without others that end.
  bool listens = false;                       ///< It has said where.
  std::optional<std::uint64_t> name_request;  ///< The one that it waits for,
  std::string name_answer;                    ///< and the name of its answer.
  std::uint64_t lost_peer_in = 0;  ///< The last generation of members in which it has lost another; 0: none.

 private:
  bool has_room() const { return unread_.size() < max_unread_bytes; }
  void send();

  std::uint32_t rank_;
  base::FileDescriptor socket_;
  CommandReader reader_;
  std::string unread_;
  std::string told_;   ///< Not in unread_ yet.
  bool deaf_ = false;  ///< A send failed: answers are dropped, but earlier requests are still read.
};

}  // namespace adarun::launcher::agent::pmi
