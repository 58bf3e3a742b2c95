// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "launcher/agent/error.h"

namespace adarun::agent {

void Fd::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("a pipe: " + system_text(errno));
  return {Fd(ends[0]), Fd(ends[1])};
}

void set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
    throw Error("file descriptor " + std::to_string(fd) + ": " + system_text(errno));
}

}  // namespace adarun::agent
