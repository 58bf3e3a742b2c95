// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
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

}  // namespace adarun::launcher::agent
