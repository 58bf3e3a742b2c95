// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace adarun::ranktable {

/// What to do about bytes that are not UTF-8.
enum class Malformed {
  refused,   ///< Throw Error.
  replaced,  ///< Write U+FFFD for each.
};

/// Appends `text` as a JSON string: in quotes, ASCII, anything else escaped.
void append_quoted(std::string& json, std::string_view text, Malformed malformed);

/// Appends a code point as UTF-8.
void append_utf8(std::string& text, char32_t code_point);

/// `text` for a message: cut after about 80 bytes.
std::string cut_for_message(std::string text);

/// Text as JSON for a message, likewise cut after about 80 bytes; it need not be UTF-8.
std::string in_quotes(std::string_view text);

}  // namespace adarun::ranktable
