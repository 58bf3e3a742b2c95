// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ranktable/json/cursor.h"

namespace adarun::ranktable {

/// Where the text of a scalar lies: in the JSON text, or, of a string that had escapes, among the unescaped
/// texts.
struct ScalarText {
  std::uint32_t at = 0;
  std::uint32_t size = 0;
  bool unescaped = false;
};

/// Reads the string whose opening quote is at `cursor`, and moves behind it. Where its text is not the
/// string's value, the value is appended to `unescaped`. Throws Error on what is no string of JSON: control
/// characters, bytes that are not UTF-8, unknown escapes, half a surrogate pair.
ScalarText read_json_string(JsonCursor& cursor, std::string& unescaped);

/// Reads the number at `cursor`, and moves behind it. Throws Error where there is none.
ScalarText read_json_number(JsonCursor& cursor);

/// Reads `word` ("true", "false", "null"), and moves behind it. Throws Error where it does not stand there.
ScalarText read_json_word(JsonCursor& cursor, std::string_view word);

}  // namespace adarun::ranktable
