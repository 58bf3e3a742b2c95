// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/decimal.h"

#include <charconv>
#include <system_error>

namespace adarun::ranktable {

std::optional<int> parse_decimal(std::string_view text) {
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace adarun::ranktable
