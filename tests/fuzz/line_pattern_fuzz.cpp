// SPDX-License-Identifier: Apache-2.0
// Any bytes as a user's pattern, and as lines to match: the pattern is refused with a message, or each line
// gives values or none.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "monitor/base/error.h"
#include "monitor/parse/line_pattern.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace mon = adarun::monitor;

FUZZ_TARGET(line_pattern) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const mon::LinePattern pattern(take_line(text));
    for (int lines = 0; lines < 8 && !text.empty(); ++lines) {
      const auto reading = pattern.read(take_line(text));
      demand(!reading || reading->loss || reading->metrics || reading->validation);
    }
  } catch (const mon::Error& error) {
    demand(!std::string_view(error.what()).empty());
  }
  return 0;
}
