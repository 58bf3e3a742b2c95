// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace adarun::monitor {

/// Whether a line of a log ends here: a carriage return ends one too, as the states of a progress bar.
inline bool ends_line(char c) {
  return c == '\n' || c == '\r';
}

/// The length of the line that `text` begins with, without its end; all of it where it has none.
inline std::size_t line_length(std::string_view text) {
  text = text.substr(
      0, std::min(text.find('\n'), text.size()));  // each is one fast search; one for both is slow
  return std::min(text.find('\r'), text.size());
}

}  // namespace adarun::monitor
