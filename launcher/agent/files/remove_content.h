// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace adarun::launcher::agent {

/// Removes everything in the open folder `folder_fd`, and nothing outside it: symbolic links are removed
/// and not followed, other file systems mounted in it are not entered. What cannot be removed stays; so does
/// what is called `spared` in the folder itself.
void remove_content(int folder_fd, std::string_view spared = "");

}  // namespace adarun::launcher::agent
