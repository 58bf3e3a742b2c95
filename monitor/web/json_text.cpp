// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace adarun::monitor::web {

void add_number(std::string& json, double value, int digits) {
  if (!std::isfinite(value)) {
    json += "null";
    return;
  }
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  json.append(text.data(), end.ptr);
}

}  // namespace adarun::monitor::web
