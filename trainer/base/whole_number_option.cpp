// SPDX-License-Identifier: Apache-2.0
#include "trainer/base/whole_number_option.h"

#include <charconv>
#include <system_error>

namespace adarun::trainer {

std::optional<std::uint64_t> WholeNumbers::parse(std::string_view text) const {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || last != end || number < low || number > high) return std::nullopt;
  return number;
}

std::string WholeNumbers::operator()(std::string& text) const {
  const std::optional<std::uint64_t> number = parse(text);
  if (!number)
    return "\"" + text + "\": wanted a whole number from " + std::to_string(low) + " to " +
           std::to_string(high);
  text = std::to_string(*number);
  return "";
}

std::string WholeNumbers::description() const {
  return "INT in [" + std::to_string(low) + " - " + std::to_string(high) + "]";
}

}  // namespace adarun::trainer
