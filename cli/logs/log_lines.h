// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "monitor/files/log_watch.h"

namespace adarun::cli {

/// The lines of one rank's log, one after the other, also of one that grows. Borrows the watch, which has
/// found that log.
class LogLines {
 public:
  /// Reads `piece_bytes` at a time, and gives a line of more than that in pieces.
  LogLines(monitor::LogWatch& watch, std::uint32_t rank, std::size_t piece_bytes)
      : watch_(&watch), rank_(rank), piece_bytes_(piece_bytes) {}

  /// Goes to the next whole line; false where there is none (yet).
  bool next();

  /// Goes to what has no line end, and is not empty.
  bool rest();

  std::uint32_t rank() const { return rank_; }

  /// The line, with its end; `rest` is given one. Good until the next call.
  std::string_view line() const { return line_; }

  /// Where in the log its last byte is.
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
  std::uint64_t behind_ = 0;  ///< Where in the log the next line begins.
  std::string_view line_;
};

}  // namespace adarun::cli
