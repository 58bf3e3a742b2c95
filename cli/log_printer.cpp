// SPDX-License-Identifier: Apache-2.0
#include "cli/log_printer.h"

namespace adarun::cli {
namespace {

// A line that does not end is printed in pieces of this size.
constexpr std::size_t max_held_bytes = 1U << 20U;

}  // namespace

bool LogPrinter::print(const monitor::LogFile& log, std::string_view bytes) {
  if (tags_ == LogTags::none) {
    write(bytes);
    return std::fflush(out_) == 0;
  }
  Cut& cut = cut_.try_emplace(log.rank, Cut{{}, LineCutter(max_held_bytes)}).first->second;
  cut.log = log;
  print_lines(log, cut.lines.feed(bytes));
  return std::fflush(out_) == 0;
}

bool LogPrinter::finish() {
  for (auto& [rank, cut] : cut_) print_lines(cut.log, cut.lines.finish());
  return std::fflush(out_) == 0;
}

void LogPrinter::print_lines(const monitor::LogFile& log, std::string_view lines) {
  if (lines.empty()) return;
  if (tags_ == LogTags::headings) {
    if (current_ != log.rank) write((current_ ? "\n==> " : "==> ") + log.path.string() + " <==\n");
    current_ = log.rank;
    write(lines);
  } else {
    write_tagged(out_, log.rank, lines);
  }
}

}  // namespace adarun::cli
