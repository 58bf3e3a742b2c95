// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/file_descriptor.h"

namespace adarun::base {

/// A socket that listens at `path`, mode 0600, non-blocking; a file that lies there is replaced. The folder
/// may have a path of any length, the name in it at most 80 bytes. No descriptor, and errno, where that
/// fails.
FileDescriptor listen_at(const std::string& path);

/// Whether a connection waits, to be made and to be read, for a far side that is busy.
enum class Wait { yes, no };

/// A connection to whoever listens at `path`, likewise; none, and EPERM, where that is another user's
/// process.
FileDescriptor connect_to(const std::string& path, Wait wait = Wait::yes);

/// The next connection to a socket of listen_at, closed when a program is run; none where nobody of our user
/// has come. Does not block.
FileDescriptor accept_own(int listening);

}  // namespace adarun::base
