// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// Both ends of a pipe, or of a pseudo-terminal, close-on-exec.
struct Pipe {
  base::FileDescriptor read;
  base::FileDescriptor write;
};

/// Throws agent::Error if the system call fails.
Pipe make_pipe();

/// Sets O_NONBLOCK on `fd`. Throws agent::Error.
void set_nonblocking(int fd);

/// Writes all of `bytes`, which may block. False if that fails; errno says why.
bool write_all(int fd, std::string_view bytes);

}  // namespace adarun::launcher::agent
