// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// Whether `text` matches `pattern`: `*` is any text, `?` any character. The caller converts host names to
/// lower case.
bool matches_pattern(std::string_view text, std::string_view pattern);

/// Whether `text` matches one of the patterns and none of those negated by `!`.
bool matches_patterns(std::string_view text, const std::vector<std::string>& patterns);

/// "a,b" -> "a", "b"; empty items are left out.
std::vector<std::string> split_commas(std::string_view list);

std::string lower_case(std::string_view text);

/// `text` with `%c` replaced by the value of c in `tokens`, and `%%` by `%`; other tokens stay.
std::string expand_tokens(std::string_view text, const std::map<char, std::string>& tokens);

/// `text` with `${NAME}` replaced by the environment variable. Throws Error if there is none of that name.
std::string expand_environment(std::string_view text);

/// `path` with a leading `~` replaced by the user's home folder.
std::string expand_home(const std::string& path);

/// The user's home folder and name, and the name of this machine, from the system.
std::string home_folder();
std::string user_name();
std::string machine_name();

}  // namespace adarun::launcher
