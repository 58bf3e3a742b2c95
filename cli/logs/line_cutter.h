// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace adarun::cli {

/// Keeps the lines of one stream whole, so that they can be printed beside those of others: the beginning of
/// a line is held back until its end has come. Bytes are otherwise as they were.
class LineCutter {
 public:
  /// A line of more than `most_held_bytes` is given in pieces, each with an end of its own.
  explicit LineCutter(std::size_t most_held_bytes) : most_held_bytes_(most_held_bytes) {}

  /// The lines that these bytes complete, with their ends; empty where there are none.
  std::string feed(std::string_view bytes);

  /// What is held back, with an end added; empty where nothing is.
  std::string finish();

 private:
  std::size_t most_held_bytes_;
  std::string held_;
};

/// Calls `act` with each of the whole lines, its end included.
template <typename Act>
void for_each_line(std::string_view lines, Act act) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n') + 1);
    act(line);
    lines.remove_prefix(line.size());
  }
}

/// Writes whole lines with "[rank] " before each.
void write_tagged(std::FILE* out, std::uint32_t rank, std::string_view lines);

}  // namespace adarun::cli
