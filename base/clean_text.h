// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
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

/// Whether this byte of UTF-8 continues a code point.
inline bool continues_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

/// Foreign bytes as UTF-8 that a page, a terminal or a log file can show. Escape sequences are removed.
/// Control characters become their pictures (U+2400 and on; a tab stays). Invalid UTF-8, C1 controls, line
/// separators and characters that change the direction of text become U+FFFD. Markup is not escaped: the page
/// never parses this text as markup.
std::string clean_text(std::string_view bytes);

/// The same as one line: line breaks and tabs become blanks; line breaks at the end are removed. At most
/// `most_bytes` (at least 3), including the "..." that ends a shortened line.
std::string clean_line(std::string_view bytes, std::size_t most_bytes = std::size_t{16} << 10U);

/// clean_line() for each line of a message.
std::string clean_lines(std::string_view bytes);

/// JSON that a terminal can show and YAML can hold between quotes: DEL, C1 controls, the byte order mark,
/// line separators and characters that change the direction of text are written as \uXXXX. A parser reads the
/// same values.
std::string escape_controls(std::string_view json);

}  // namespace adarun::base
