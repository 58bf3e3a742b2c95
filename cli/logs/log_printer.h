// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/line_cutter.h"
#include "monitor/files/log_files.h"

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

}  // namespace adarun::cli
