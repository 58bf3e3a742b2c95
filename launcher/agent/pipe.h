// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/posix/file_descriptor.h"

namespace adarun::agent {

/// Both ends of a pipe, close-on-exec.
struct Pipe {
  posix::FileDescriptor read;
  posix::FileDescriptor write;
};

/// Throws agent::Error where the system gives none.
Pipe make_pipe();

/// Reads and writes of `fd` return at once from now on. Throws agent::Error.
void set_nonblocking(int fd);

}  // namespace adarun::agent
