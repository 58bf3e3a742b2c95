// SPDX-License-Identifier: Apache-2.0
// Any bytes as lines with times: who remembers the line before reads the same as who does not.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "monitor/files/written_time.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  setenv("TZ", "Europe/Berlin", 1);  // With two times in a year that are there twice or not at all.
  adarun::monitor::WrittenTime remembers;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    demand(remembers.in(line) == adarun::monitor::WrittenTime().in(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return 0;
}
