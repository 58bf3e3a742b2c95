// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace adarun::monitor::web {

/// Appends a JSON number of at most `digits` digits: null for nan and infinities.
inline void add_number(std::string& json, double value, int digits = 6) {
  if (!std::isfinite(value)) {
    json += "null";
    return;
  }
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  json.append(text.data(), end.ptr);
}

/// An array of `number_of(item)` for each item, written by `add_number`.
template <typename Items, typename NumberOf>
std::string number_array(const Items& items, NumberOf&& number_of, int digits = 6) {
  std::string json = "[";
  for (const auto& item : items) {
    if (json.size() > 1) json += ',';
    add_number(json, number_of(item), digits);
  }
  return json + "]";
}

}  // namespace adarun::monitor::web
