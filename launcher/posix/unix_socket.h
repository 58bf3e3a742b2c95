// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/posix/file_descriptor.h"

namespace adarun::posix {

/// A socket that listens at `path`, mode 0600, non-blocking; a file that lies there is replaced. The folder
/// may have a path of any length, the name in it at most 80 bytes. No descriptor, and errno, where that
/// fails.
FileDescriptor listen_at(const std::string& path);

/// A connection to whoever listens at `path`, likewise. Blocking.
FileDescriptor connect_to(const std::string& path);

}  // namespace adarun::posix
