// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>

#include "cli/line_cutter.h"
#include "monitor/files/log_files.h"

namespace adarun::cli {

/// Whose line it is: not said, by a heading where the log changes (as tail has it), or by "[rank] " before
/// each line.
enum class LogTags { none, headings, ranks };

/// Prints pieces of several logs without mixing their lines: half a line waits for its end, or for `finish`.
/// With LogTags::none bytes pass as they come.
class LogPrinter {
 public:
  LogPrinter(std::FILE* out, LogTags tags) : out_(out), tags_(tags) {}

  /// Returns false when `out` takes no more (its reader is gone).
  bool print(const monitor::LogFile& log, std::string_view bytes);

  /// Prints what has no line end, with one.
  bool finish();

 private:
  struct Cut {
    monitor::LogFile log;
    LineCutter lines;
  };

  void print_lines(const monitor::LogFile& log, std::string_view lines);
  void write(std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), out_); }

  std::FILE* out_;
  LogTags tags_;
  std::map<std::uint32_t, Cut> cut_;
  std::optional<std::uint32_t> current_;
};

}  // namespace adarun::cli
