// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/line_cutter.h"
#include "cli/logs/line_folder.h"
#include "cli/logs/log_lines.h"
#include "monitor/files/log_files.h"
#include "monitor/files/log_watch.h"

namespace adarun::cli {

/// How to show which log a line is from: not at all, by a heading where the log changes (as tail does), or by
/// "[rank] " before each line.
enum class LogTags { none, headings, ranks };

/// Names of logs in the output.
struct LogNames {
  std::function<std::string(const monitor::LogFile&)> heading;          ///< Of one log.
  std::function<std::string(const std::set<std::uint32_t>&)> brackets;  ///< For a set of ranks.
  bool proceed =
      false;  ///< Other logs were printed before: the first heading has a blank line before it, too.
};

/// Uses paths as headings and rank numbers in brackets.
LogNames own_names();

/// The same with the name of a job before each.
LogNames names_of_job(const std::string& job);

/// The same with the role of a rank behind it, "3 decode", where one line has no other rank.
LogNames with_roles(const LogNames& names, std::map<std::uint32_t, std::string> role_of_rank);

/// Writes whole lines with `tag` before each.
void write_tagged(std::FILE* out, std::string_view tag, std::string_view lines);

/// Prints pieces of several logs without mixing their lines: an incomplete line is held back until its end
/// arrives, or until finish(). With LogTags::none, bytes are printed unchanged and at once.
class LogPrinter {
 public:
  LogPrinter(std::FILE* out, LogTags tags, LogNames names = own_names())
      : out_(out), tags_(tags), names_(std::move(names)) {}

  /// Returns false if `out` cannot be written (its reader is gone).
  bool print(const monitor::LogFile& log, std::string_view bytes);

  /// Another file has the log's name, as for another attempt: an incomplete line of the one before ends.
  void begin_anew(const monitor::LogFile& log);

  /// The same for complete lines, or pieces of one that is longer than 1 MiB, which may be buffered until
  /// flush().
  void put(const monitor::LogFile& log, std::string_view lines);
  bool flush() { return std::fflush(out_) == 0; }

  /// Prints incomplete lines; unless without tags, with a line end added.
  bool finish();

 private:
  struct Cut {
    monitor::LogFile log;
    base::LineCutter lines;
  };

  void write(std::string_view bytes);

  std::FILE* out_;
  LogTags tags_;
  LogNames names_;
  std::map<std::uint32_t, Cut> cut_;
  std::optional<std::uint32_t> current_;
  bool is_in_line_ = false;  ///< The last byte written is no line end.
};

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
