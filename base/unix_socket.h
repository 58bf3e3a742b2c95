// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/file_descriptor.h"

namespace adarun::base {

/// A socket that listens at `path`, mode 0600, non-blocking; an existing file there is replaced. The folder
/// may have a path of any length, the name in it at most 80 bytes. On failure: no descriptor, errno is set.
FileDescriptor listen_at(const std::string& path);

/// Whether connecting to a busy peer, for 5 s at most, and reading from it may block.
enum class Wait { yes, no };

/// Connects to the socket that listens at `path`, with the same limits. On failure: no descriptor, errno is
/// set, to EPERM if the listener is another user's process, to EAGAIN if more wait for it than it lets wait.
FileDescriptor connect_to(const std::string& path, Wait wait = Wait::yes);

/// Accepts the next connection to a socket of listen_at(), close-on-exec and non-blocking. None if none is
/// pending, or the peer is another user's process. Does not block.
FileDescriptor accept_own(int listening);

}  // namespace adarun::base
