// SPDX-License-Identifier: Apache-2.0
// Any bytes as lines with times: a reader that remembers the line before gives the same as one that does not.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "monitor/files/written_time.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

FUZZ_TARGET(written_time) {
  setenv("TZ", "Europe/Berlin", 1);  // Some local times occur twice, and some never.
  adarun::monitor::WrittenTime remembers;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    demand(remembers.in(line) == adarun::monitor::WrittenTime().in(line));
  }
  return 0;
}
