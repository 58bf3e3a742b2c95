// SPDX-License-Identifier: Apache-2.0
#include "cli/log_printer.h"

#include <algorithm>

namespace adarun::cli {
namespace {

// A line that does not end is printed in pieces of this size.
constexpr std::size_t max_partial_bytes = 1U << 20U;

}  // namespace

bool LogPrinter::print(const monitor::LogFile& log, std::string_view bytes) {
  if (tags_ == LogTags::none) {
    write(bytes);
    return std::fflush(out_) == 0;
  }
  auto& [its_log, partial] = partial_[log.rank];
  its_log = log;
  const std::size_t end = bytes.rfind('\n');
  if (end != std::string_view::npos) {
    partial += bytes.substr(0, end + 1);
    print_lines(log, partial);
    partial.clear();
    bytes.remove_prefix(end + 1);
  }
  partial += bytes;
  if (partial.size() >= max_partial_bytes) {
    print_lines(log, partial + "\n");
    partial.clear();
  }
  return std::fflush(out_) == 0;
}

bool LogPrinter::finish() {
  for (const auto& [rank, waiting] : partial_) {
    if (!waiting.second.empty()) print_lines(waiting.first, waiting.second + "\n");
  }
  partial_.clear();
  return std::fflush(out_) == 0;
}

void LogPrinter::print_lines(const monitor::LogFile& log, std::string_view lines) {
  if (tags_ == LogTags::headings) {
    if (current_ != log.rank) write((current_ ? "\n==> " : "==> ") + log.path.string() + " <==\n");
    current_ = log.rank;
    write(lines);
    return;
  }
  const std::string tag = "[" + std::to_string(log.rank) + "] ";
  while (!lines.empty()) {
    const std::size_t size = lines.find('\n') + 1;
    write(tag);
    write(lines.substr(0, size));
    lines.remove_prefix(size);
  }
}

}  // namespace adarun::cli
