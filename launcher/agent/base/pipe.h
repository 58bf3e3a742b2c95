// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// Both ends of a pipe, close-on-exec.
struct Pipe {
  base::FileDescriptor read;
  base::FileDescriptor write;
};

/// Throws agent::Error if the system call fails.
Pipe make_pipe();

/// Sets O_NONBLOCK on `fd`. Throws agent::Error.
void set_nonblocking(int fd);

}  // namespace adarun::launcher::agent
