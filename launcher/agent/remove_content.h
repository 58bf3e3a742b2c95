// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adarun::agent {

/// Removes everything in the open folder `folder_fd`, and nothing outside it: symbolic links are removed
/// and not followed, other file systems mounted in it are not entered. What cannot be removed stays.
void remove_content(int folder_fd);

}  // namespace adarun::agent
