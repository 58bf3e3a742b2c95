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

/// What was read of a rank's output, on its way into frames. A terminal gives 2 or 4 KiB at a time, and a
/// frame costs as much as what is in it: those of a rank that prints without a pause are put together. What
/// comes alone, such as a line, is due at once.
class OutputBatcher {
 public:
  /// A read that gives as much as this may be followed by others.
  static constexpr std::size_t large_read_bytes = 1U << 10U;

  /// A frame is due from here on,
  static constexpr std::size_t frame_bytes = 60U << 10U;
  /// or when its first bytes have waited for so long.
  static constexpr std::chrono::milliseconds timeout{1};

  explicit OutputBatcher(std::uint32_t rank) : rank_(rank) {}

  /// What one read has given, in the order of the reads.
  void add(protocol::Stream stream, std::string_view bytes, Clock::time_point now);

  /// The next frame that is due.
  std::optional<protocol::Output> take(Clock::time_point now);

  /// When the last one is, where none is due already.
  std::optional<Clock::time_point> due() const;

  /// There is no more to come: all is due.
  void finish() { close(); }

  bool empty() const { return whole_.empty() && !open_; }

 private:
  void close();

  std::uint32_t rank_;
  std::uint64_t offset_ = 0;              ///< Of what comes next.
  std::deque<protocol::Output> whole_;    ///< Frames that are due.
  std::optional<protocol::Output> open_;  ///< One to which more may be added,
  Clock::time_point patient_until_;       ///< until then.
};

}  // namespace adarun::launcher::agent
