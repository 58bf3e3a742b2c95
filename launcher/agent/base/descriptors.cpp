// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/base/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

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

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace adarun::launcher::agent
