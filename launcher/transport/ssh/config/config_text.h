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

/// The value of a keyword in lower case; "true" and "false", which mean the same as "yes" and "no", become
/// these.
std::string yes_or_no(std::string_view value);

/// The values of %-tokens, by their letter.
using Tokens = std::map<char, std::string>;

/// What a value is: in a path, `${NAME}` is an environment variable, and `~` or `~NAME` at its beginning the
/// home folder of the user, or of the one with that name.
enum class Value { text, path };

/// `text` with `%c` replaced by the value of c in `tokens`, and `%%` by `%`; what is put in is not expanded
/// again. Throws Error for any other token, and for a variable or user that does not exist.
std::string expand_tokens(const std::string& text, const Tokens& tokens, Value value = Value::text);

/// `path` with the home folder at its beginning, as above.
std::string expand_home(const std::string& path);

/// An IP address in the form that the system prints ("127.1": "127.0.0.1"), unless only its case differs; ""
/// for any other text. Looks no name up.
std::string address_in(const std::string& text);

/// A port from 1 to 65535, written as a number or as the name of a TCP service; 0: it is none.
int port_in(const std::string& text);

/// The user's home folder and name, and the name of this machine, from the system.
std::string home_folder();
std::string user_name();
std::string machine_name();

}  // namespace adarun::launcher
