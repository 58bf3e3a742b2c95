// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/base/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/system_text.h"
#include "launcher/agent/base/error.h"

namespace adarun::launcher::agent {

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("a pipe: " + base::system_text(errno));
  return {base::FileDescriptor(ends[0]), base::FileDescriptor(ends[1])};
}

void set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
    throw Error("file descriptor " + std::to_string(fd) + ": " + base::system_text(errno));
}

}  // namespace adarun::launcher::agent
