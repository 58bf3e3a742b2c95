// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace adarun::launcher {

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
