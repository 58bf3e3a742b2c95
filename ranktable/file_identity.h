// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

namespace adarun::ranktable {

/// Device and inode: the same for two names of one file.
using FileIdentity = std::pair<dev_t, ino_t>;

/// That of the file which a name leads to, through symbolic links; nothing where it leads to none.
std::optional<FileIdentity> identity_of(const std::string& file);

}  // namespace adarun::ranktable
