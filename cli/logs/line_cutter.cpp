// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/line_cutter.h"

#include <utility>

namespace adarun::cli {

std::string LineCutter::feed(std::string_view bytes) {
  std::string lines;
  const std::size_t whole = bytes.rfind('\n') + 1;  // 0 where there is no end.
  if (whole > 0) lines = std::exchange(held_, {}).append(bytes.substr(0, whole));
  held_ += bytes.substr(whole);
  if (held_.size() >= most_held_bytes_) lines += finish();
  return lines;
}

std::string LineCutter::finish() {
  return held_.empty() ? "" : std::exchange(held_, {}) + '\n';
}

void write_tagged(std::FILE* out, std::uint32_t rank, std::string_view lines) {
  for_each_line(lines, [out, rank](std::string_view line) {
    std::fprintf(out, "[%u] ", rank);
    std::fwrite(line.data(), 1, line.size(), out);
  });
}

}  // namespace adarun::cli
