// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// Splits a line into words at blanks, tabs and line ends. Quoting is that of a POSIX shell, and nothing else
/// is special:
///   'text'  is taken as it is;
///   "text"  likewise, but \" and \\ are a double quote and a backslash;
///   \c      outside quotes is the character c.
/// So '' is an empty word, and a'b c'd is the word "ab cd". Variables, globs, pipes and redirections are for
/// a shell, which this is not: they are characters like others. Throws Error if a quote does not end, or if a
/// backslash is the last character.
std::vector<std::string> split_words(std::string_view line);

}  // namespace adarun::launcher
