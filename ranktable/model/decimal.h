// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace adarun::ranktable {

/// Whether `byte` is a digit of ASCII, whatever the locale.
inline bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

/// The number that `text` is: digits alone, no sign, no leading zero, fitting an int. HCCL's own reader is
/// laxer ("0x1", "1abc" and " 1" pass there).
std::optional<int> parse_decimal(std::string_view text);

/// `text` without the blanks (space, tab, CR, LF) around it.
std::string_view trimmed(std::string_view text);

}  // namespace adarun::ranktable
