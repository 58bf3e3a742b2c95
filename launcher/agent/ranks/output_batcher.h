// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "launcher/agent/base/clock.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

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
