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

/// Whose line it is: not said, by a heading where the log changes (as tail has it), or by "[rank] " before
/// each line.
enum class LogTags { none, headings, ranks };

/// What logs are called.
struct LogNames {
  std::function<std::string(const monitor::LogFile&)> heading;          ///< Of one.
  std::function<std::string(const std::set<std::uint32_t>&)> brackets;  ///< Of those of some ranks.
};

/// By their paths and by their ranks.
LogNames own_names();

/// Writes whole lines with `tag` before each.
void write_tagged(std::FILE* out, std::string_view tag, std::string_view lines);

/// Prints pieces of several logs without mixing their lines: half a line waits for its end, or for `finish`.
/// With LogTags::none bytes pass as they come.
class LogPrinter {
 public:
  LogPrinter(std::FILE* out, LogTags tags, LogNames names = own_names())
      : out_(out), tags_(tags), names_(std::move(names)) {}

  /// Returns false when `out` takes no more (its reader is gone).
  bool print(const monitor::LogFile& log, std::string_view bytes);

  /// The same of whole lines, which may be held back until `flush`.
  void put(const monitor::LogFile& log, std::string_view lines);
  bool flush() { return std::fflush(out_) == 0; }

  /// Prints what has no line end, with one.
  bool finish();

 private:
  struct Cut {
    monitor::LogFile log;
    base::LineCutter lines;
  };

  void write(std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), out_); }

  std::FILE* out_;
  LogTags tags_;
  LogNames names_;
  std::map<std::uint32_t, Cut> cut_;
  std::optional<std::uint32_t> current_;
};

}  // namespace adarun::cli
