// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "launcher/agent/error.h"
#include "launcher/posix/system_text.h"

namespace adarun::agent {

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("a pipe: " + posix::system_text(errno));
  return {posix::FileDescriptor(ends[0]), posix::FileDescriptor(ends[1])};
}

void set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
    throw Error("file descriptor " + std::to_string(fd) + ": " + posix::system_text(errno));
}

}  // namespace adarun::agent
