// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// Both ends of a pipe, close-on-exec.
struct Pipe {
  base::FileDescriptor read;
  base::FileDescriptor write;
};

/// Throws agent::Error where the system gives none.
Pipe make_pipe();

/// Reads and writes of `fd` return at once from now on. Throws agent::Error.
void set_nonblocking(int fd);

}  // namespace adarun::launcher::agent
