// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace adarun::base {

/// The start of some bytes, read as UTF-8.
struct CodePoint {
  char32_t value = 0;
  std::size_t size_bytes = 0;  ///< What it takes; of malformed bytes those before the first wrong one.
  bool valid = false;
};

/// The first code point of `text`, which is not empty. Overlong forms, surrogates and what lies above
/// U+10FFFF are not valid.
CodePoint first_code_point(std::string_view text);

}  // namespace adarun::base
