// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace adarun::ranktable {

/// How to handle bytes that are not UTF-8.
enum class Malformed {
  refused,   ///< Throw Error.
  replaced,  ///< Write U+FFFD for each byte.
};

/// Appends `text` as a JSON string: quoted ASCII, with everything else escaped.
void append_quoted(std::string& json, std::string_view text, Malformed malformed);

/// Appends a code point as UTF-8.
void append_utf8(std::string& text, char32_t code_point);

/// Truncates a text after about 80 bytes, for a message.
std::string cut_for_message(std::string text);

/// A text as JSON for a message, also truncated after about 80 bytes; it need not be UTF-8.
std::string in_quotes(std::string_view text);

}  // namespace adarun::ranktable
