// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/file_descriptor.h"

namespace adarun::base {

/// As open(2) with these flags, but follows no symbolic link in `path`, whichever part of it is one: each
/// part is opened in the folder that was opened before it, so that nobody can put a link there meanwhile.
/// None, and errno, where the path cannot be opened: ELOOP at a link. O_CREAT is not for this.
FileDescriptor open_no_links(const std::string& path, int flags);

}  // namespace adarun::base
