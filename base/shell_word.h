// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::base {

/// `text` quoted as one word of a POSIX shell.
std::string shell_word(const std::string& text);

/// Words, each quoted, with a blank between them: a command for a POSIX shell.
std::string shell_words(const std::vector<std::string>& words);

/// A word for people to read: quoted as above, without quotes if it needs none.
std::string readable_word(const std::string& text);

/// As readable_word, but for bash, and always on one line: control characters are escaped ($'two\nlines').
std::string one_line_word(const std::string& text);

}  // namespace adarun::base
