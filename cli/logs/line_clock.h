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

/// When lines of logs were printed: as line_times.txt beside a log tells when they came home, else as the
/// lines say themselves. A line that says nothing is as old as the one before it.
class LineClock {
 public:
  /// In milliseconds since the Unix epoch. Before all others where nothing is known.
  std::int64_t time_of(const LogLines& line, const std::filesystem::path& log);

  /// Whether something tells the times of this log: line_times.txt, or a time in its first lines.
  bool tells(const monitor::LogFile& log);

  /// Throws Quit where nothing does.
  void require_times(const monitor::LogFile& log);

 private:
  struct LogTimes {
    const launcher::ArrivalTimes* arrivals = nullptr;
    std::uint64_t size_bytes = 0;  ///< Of the log, when it was first asked for.
    monitor::WrittenTime written;
    std::int64_t last_ms = 0;
  };

  LogTimes& source_of(std::uint32_t rank, const std::filesystem::path& log);

  std::map<std::filesystem::path, std::optional<launcher::ArrivalTimes>> folders_;
  std::map<std::uint32_t, LogTimes> sources_;
};

/// "2026-11-21 01:02:03" (local time, seconds and date may be left out), with a zone, or a duration such as
/// 10m that is over `now_ms` -> milliseconds since the Unix epoch. Nothing where it is no such text.
std::optional<std::int64_t> parse_since(const std::string& text, std::int64_t now_ms);

}  // namespace adarun::cli
