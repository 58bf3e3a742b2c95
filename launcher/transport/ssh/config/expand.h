// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace adarun::launcher {

/// `text` with `%c` replaced by what `tokens` has for c, and `%%` by `%`; other tokens stay as they are.
std::string expand_tokens(std::string_view text, const std::map<char, std::string>& tokens);

/// `text` with `${NAME}` replaced by this program's environment. Throws Error where it has no such name.
std::string expand_environment(std::string_view text);

/// `path` with a leading `~` made the user's home folder.
std::string expand_home(const std::string& path);

/// The user's home folder and name, and the name of this machine, as the system has them.
std::string home_folder();
std::string user_name();
std::string machine_name();

}  // namespace adarun::launcher
