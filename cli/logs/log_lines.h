// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "monitor/files/log_watch.h"

namespace adarun::cli {

/// Iterates over the lines of one rank's log, which may be growing. Borrows the watch, which must have found
/// that log.
class LogLines {
 public:
  /// Reads `piece_bytes` at a time; longer lines are returned in pieces.
  LogLines(monitor::LogWatch& watch, std::uint32_t rank, std::size_t piece_bytes)
      : watch_(&watch), rank_(rank), piece_bytes_(piece_bytes) {}

  /// Moves to the next complete line; returns false if there is none (yet).
  bool next();

  /// Moves to the remaining bytes without a line end; returns false if there are none.
  bool rest();

  std::uint32_t rank() const { return rank_; }

  /// The current line with its line end, which rest() adds. Valid until the next call.
  std::string_view line() const { return line_; }

  /// Offset in the log of its last byte.
  std::uint64_t last_byte() const { return behind_ - 1; }

 private:
  bool refill();
  void take(std::size_t bytes);

  monitor::LogWatch* watch_;
  std::uint32_t rank_;
  std::size_t piece_bytes_;
  std::string buffer_;
  std::string piece_;
  std::size_t at_ = 0;
  bool begins_anew_ = false;  ///< `piece_` is the beginning of another file of that name.
  std::uint64_t behind_ = 0;  ///< Offset in the log where the next line begins.
  std::string_view line_;
};

}  // namespace adarun::cli
