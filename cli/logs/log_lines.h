// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <regex.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/record/line_times.h"
#include "monitor/files/log_watch.h"
#include "monitor/files/written_time.h"

namespace adarun::cli {

/// Iterates over the lines of one rank's log, which may be growing. Borrows the watch, which must have found
/// that log.
class LogLines {
 public:
  /// Reads `piece_bytes` at a time; longer lines are returned in pieces, each with a line end.
  LogLines(monitor::LogWatch& watch, std::uint32_t rank, std::size_t piece_bytes)
      : watch_(&watch), rank_(rank), piece_bytes_(piece_bytes) {}

  /// Moves to the next complete line; returns false if there is none (yet).
  bool next();

  /// Moves to the remaining bytes without a line end; returns false if there are none.
  bool rest();

  std::uint32_t rank() const { return rank_; }

  /// The current line with its line end, which rest() adds. Valid until the next call.
  std::string_view line() const { return line_; }

  /// Whether it is a further piece of the line before it.
  bool continues() const { return continues_; }

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
  bool is_cut_ = false;     ///< It is a piece, behind which its line continues.
  bool continues_ = false;  ///< See continues().
};

/// Selects lines by a pattern, as `grep -E` does.
class LineFilter {
 public:
  /// `pattern`: a POSIX extended regular expression. Throws std::invalid_argument saying what is wrong with
  /// it.
  explicit LineFilter(const std::string& pattern);

  /// Whether the pattern occurs in the line, excluding its line end.
  bool takes(std::string_view line) const;

 private:
  std::string text_;                ///< The pattern, if it is plain text,
  std::shared_ptr<regex_t> regex_;  ///< else compiled.
};

/// Times of log lines: their arrival times in line_times.txt beside the log, else the times written in the
/// lines. A line without a time gets that of the line before it; all pieces of a line have that of the first.
class LineClock {
 public:
  /// In milliseconds since the Unix epoch; 0 if nothing is known.
  std::int64_t time_of(const LogLines& line, const std::filesystem::path& log);

  /// Whether the times of this log are known: from line_times.txt, or from a time in its first lines.
  bool tells(const monitor::LogFile& log);

  /// Throws ExitError if they are not.
  void require_times(const monitor::LogFile& log);

 private:
  struct LogTimes {
    const launcher::ArrivalTimes* arrivals = nullptr;
    std::uint64_t size_bytes = 0;  ///< Of the log when first used; only where --log-limit was set.
    monitor::WrittenTime written;
    std::int64_t last_ms = 0;
  };

  LogTimes& source_of(std::uint32_t rank, const std::filesystem::path& log);

  std::map<std::filesystem::path, std::optional<launcher::ArrivalTimes>> folders_;
  std::map<std::uint32_t, LogTimes> sources_;
};

/// Parses "2026-11-21 01:02:03" (local time unless it has a zone; seconds and date may be left out), or a
/// duration such as 10m before `now_ms`. Returns milliseconds since the Unix epoch; nullopt for any other
/// text.
std::optional<std::int64_t> parse_since(const std::string& text, std::int64_t now_ms);

}  // namespace adarun::cli
