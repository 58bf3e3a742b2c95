// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include "cli/logs/line_folder.h"
#include "cli/logs/log_lines.h"
#include "cli/logs/log_printer.h"
#include "monitor/files/log_watch.h"

namespace adarun::cli {

/// Which lines of logs to print, and how.
struct LineOptions {
  LogTags tags = LogTags::none;
  bool merge = false;  ///< Merge all logs by time, and fold equal lines.
  std::optional<std::int64_t> since_ms = {};
  std::optional<LineFilter> filter = {};
};

/// Prints the logs of a watch according to the options. Borrows the watch.
class LogStream {
 public:
  LogStream(monitor::LogWatch& watch, LineOptions options, std::FILE* out, LogNames names = own_names());

  /// Prints the current content, without what is written meanwhile. Returns false if `out` cannot be written.
  /// Throws ExitError if the options need the times of lines and they are not known.
  bool print_all();

  /// Prints what is new since; `news`: set to whether there was any. Returns false if `out` cannot be
  /// written.
  bool print_new(bool& news);

  /// Prints incomplete lines, and lines held back.
  bool finish();

  /// Whether a line was printed.
  bool any() const { return any_; }

 private:
  void open_new();
  bool print_by_rank();
  bool print_merged();
  void offer(LogLines& lines, std::int64_t time_ms);
  void print_waiting(std::int64_t time_ms);
  std::int64_t time_of(const LogLines& lines) { return clock_.time_of(lines, logs_.at(lines.rank()).path); }

  monitor::LogWatch& watch_;
  LineOptions options_;
  std::FILE* out_;
  LogPrinter printer_;
  LineClock clock_;
  std::map<std::uint32_t, monitor::LogFile> logs_;
  std::map<std::uint32_t, LogLines> lines_;
  LogNames names_;
  std::unique_ptr<LineFolder> folder_;
  bool any_ = false;
};

}  // namespace adarun::cli
