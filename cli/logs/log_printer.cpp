// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/log_printer.h"

#include "cli/options/rank_set.h"

namespace adarun::cli {
namespace {

// A line that does not end is printed in pieces of this size.
constexpr std::size_t max_held_bytes = 1U << 20U;

}  // namespace

LogNames own_names() {
  return {[](const monitor::LogFile& log) { return log.path.string(); }, shown_ranks};
}

bool LogPrinter::print(const monitor::LogFile& log, std::string_view bytes) {
  if (tags_ == LogTags::none) {
    write(bytes);
    return flush();
  }
  Cut& cut = cut_.try_emplace(log.rank, Cut{{}, LineCutter(max_held_bytes)}).first->second;
  cut.log = log;
  put(log, cut.lines.feed(bytes));
  return flush();
}

bool LogPrinter::finish() {
  for (auto& [rank, cut] : cut_) put(cut.log, cut.lines.finish());
  return flush();
}

void LogPrinter::put(const monitor::LogFile& log, std::string_view lines) {
  if (lines.empty()) return;
  if (tags_ == LogTags::headings && current_ != log.rank) {
    write((current_ ? "\n==> " : "==> ") + names_.heading(log) + " <==\n");
    current_ = log.rank;
  }
  if (tags_ != LogTags::ranks) return write(lines);
  const std::string tag = "[" + names_.brackets({log.rank}) + "] ";
  for_each_line(lines, [this, &tag](std::string_view line) {
    write(tag);
    write(line);
  });
}

}  // namespace adarun::cli
