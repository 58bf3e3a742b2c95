// SPDX-License-Identifier: Apache-2.0
// Any bytes as a pattern of a user's own, and as lines that it is tried with: it is refused in words, or each
// line says something or nothing. Both are short, since a pattern can be made to take very long.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "monitor/error.h"
#include "monitor/parse/line_pattern.h"

namespace mon = adarun::monitor;

namespace {

constexpr std::size_t most_pattern_bytes = 64;
constexpr std::size_t most_line_bytes = 20;

void demand(bool holds) {
  if (!holds) std::abort();
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const mon::LinePattern pattern(take_line(text).substr(0, most_pattern_bytes));
    for (int lines = 0; lines < 8 && !text.empty(); ++lines) {
      const auto reading = pattern.read(take_line(text).substr(0, most_line_bytes));
      demand(!reading || reading->loss || reading->metrics);
    }
  } catch (const mon::Error& error) {
    demand(!std::string_view(error.what()).empty());
  }
  return 0;
}
