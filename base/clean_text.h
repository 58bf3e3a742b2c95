// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::base {

/// Foreign bytes as UTF-8 that a page, a terminal or a log file can show: escape sequences are left out,
/// control characters become their pictures (U+2400 and on; a tab stays), and what is no UTF-8, a C1 control,
/// or would break the line or turn the direction of text around, becomes U+FFFD. Markup stays as it is: the
/// page never takes text for markup.
std::string clean_text(std::string_view bytes);

/// The same as one line: line breaks and tabs are blanks, the line break at its end is left out. At most
/// `most_bytes`, "..." included where it was longer; at least 3.
std::string clean_line(std::string_view bytes, std::size_t most_bytes = std::size_t{16} << 10U);

/// The same for a message of several lines.
std::string clean_lines(std::string_view bytes);

/// JSON as a terminal can show it, and YAML can have it between quotes: DEL, C1 controls, the byte order mark
/// and what would break the line or turn the direction of text stand as \uXXXX. Says the same to whoever
/// parses it.
std::string escape_controls(std::string_view json);

}  // namespace adarun::base
