// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace adarun::base {

/// A decoded code point.
struct CodePoint {
  char32_t value = 0;
  std::size_t size_bytes = 0;  ///< Its size; if malformed, the bytes before the first wrong one.
  bool valid = false;
};

/// Decodes the first code point of `text`, which must not be empty. Overlong forms, surrogates and values
/// above U+10FFFF are not valid.
CodePoint first_code_point(std::string_view text);

}  // namespace adarun::base
