// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ranktable/json/cursor.h"

namespace adarun::ranktable {

/// Where the text of a scalar is: in the JSON text, or, for a string that had escapes, in the unescaped text.
struct ScalarText {
  std::uint32_t at = 0;
  std::uint32_t size = 0;
  bool unescaped = false;
};

/// Reads the string whose opening quote is at `cursor`, and moves past it. If the string is not plain, its
/// value is appended to `unescaped`. Throws Error on an invalid string: control characters, invalid UTF-8,
/// unknown escapes, half a surrogate pair.
ScalarText read_json_string(JsonCursor& cursor, std::string& unescaped);

/// Reads the number at `cursor` and moves past it. Throws Error if there is none.
ScalarText read_json_number(JsonCursor& cursor);

/// Reads `word` ("true", "false", "null") and moves past it. Throws Error if it is not at `cursor`.
ScalarText read_json_word(JsonCursor& cursor, std::string_view word);

}  // namespace adarun::ranktable
