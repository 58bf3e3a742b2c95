// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "launcher/agent/base/poll.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// The stdin of one rank that the launcher passes on: asks for bytes as the rank reads, so that at most a
/// window of them is held for a rank that does not. Passive: the agent polls fd() and sends what request()
/// returns.
class RankInput {
 public:
  /// The window of all ranks of a node together, and the smallest of one.
  static constexpr std::size_t node_window_bytes = 256U << 10U;
  static constexpr std::size_t least_window_bytes = 16U << 10U;

  /// A rank that reads /dev/null.
  RankInput() = default;

  /// `pipe`: the end to write to, non-blocking. `readers`: how many ranks of the node have one.
  RankInput(std::uint32_t rank, base::FileDescriptor pipe, std::size_t readers);

  /// What to poll; -1: nothing. Without unwritten bytes, only the end of the reader matters.
  int fd() const { return pipe_.get(); }
  short events() const { return written_ < held_.size() ? POLLOUT : 0; }

  /// Takes what the launcher sent. Throws protocol::Error if that is more than was asked for.
  void add(const protocol::Input& input);

  /// Writes as much as the pipe takes. Call when fd() is ready, also after an error or a hang-up.
  void write();

  /// What to tell the launcher now.
  std::optional<protocol::InputWanted> request();

  /// The process has ended.
  void close() { *this = {}; }

 private:
  void close_pipe();

  std::uint32_t rank_ = 0;
  base::FileDescriptor pipe_;
  std::size_t window_bytes_ = 0;
  std::string held_;  ///< Received; the first `written_` bytes are in the pipe.
  std::size_t written_ = 0;
  std::size_t open_bytes_ = 0;  ///< Asked for, and not received.
  bool asked_ = false;
  bool last_ = false;          ///< No more is to come.
  bool says_no_more_ = false;  ///< The launcher is to hear that the rank has closed its stdin.
};

/// Groups what was read of a rank's output into frames. A terminal gives 2 or 4 KiB per read, and a frame
/// costs as much to handle as its content, so the reads of a rank that prints without pause are merged. A
/// single short read, such as a line, is due at once.
class OutputBatcher {
 public:
  /// A read of at least this size may be followed by others.
  static constexpr std::size_t large_read_bytes = 1U << 10U;

  /// A frame of at least this size is due;
  static constexpr std::size_t frame_bytes = 60U << 10U;
  /// a smaller one is due when its first bytes have waited this long.
  static constexpr std::chrono::milliseconds timeout{1};

  /// `offset`: of the first byte added, that is how many bytes of the rank were sent before.
  explicit OutputBatcher(std::uint32_t rank, std::uint64_t offset = 0) : rank_(rank), offset_(offset) {}

  /// Adds the bytes of one read. Call in the order of the reads.
  void add(protocol::Stream stream, std::string_view bytes, Clock::time_point now);

  /// The next frame that is due.
  std::optional<protocol::Output> take(Clock::time_point now);

  /// When the open frame is due; nothing if there is none.
  std::optional<Clock::time_point> due() const;

  /// No more output follows: everything is due.
  void finish() { close(); }

  bool empty() const { return whole_.empty() && !open_; }

  /// The offset of the next byte added.
  std::uint64_t end() const { return offset_; }

 private:
  void close();

  std::uint32_t rank_;
  std::uint64_t offset_;                  ///< Of the next byte added.
  std::deque<protocol::Output> whole_;    ///< Frames that are due.
  std::optional<protocol::Output> open_;  ///< The frame to which more may be added.
  Clock::time_point patient_until_;       ///< When `open_` is due.
};

}  // namespace adarun::launcher::agent
