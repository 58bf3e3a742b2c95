// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace adarun::ranktable {

/// Whether `byte` is an ASCII digit, whatever the locale.
inline bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

/// Parses `text`: digits only, no sign, no leading zero, fitting an int. HCCL's own parser is less strict (it
/// accepts "0x1", "1abc" and " 1").
std::optional<int> parse_decimal(std::string_view text);

/// `text` without leading and trailing whitespace (space, tab, CR, LF).
std::string_view trimmed(std::string_view text);

}  // namespace adarun::ranktable
