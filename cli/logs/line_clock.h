// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/logs/log_lines.h"
#include "launcher/record/line_times.h"
#include "monitor/files/written_time.h"

namespace adarun::cli {

/// Times of log lines: their arrival times in line_times.txt beside the log, else the times written in the
/// lines. A line without a time gets that of the line before it.
class LineClock {
 public:
  /// In milliseconds since the Unix epoch; 0 if nothing is known.
  std::int64_t time_of(const LogLines& line, const std::filesystem::path& log);

  /// Whether the times of this log are known: from line_times.txt, or from a time in its first lines.
  bool tells(const monitor::LogFile& log);

  /// Throws Quit if they are not.
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
