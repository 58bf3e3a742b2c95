// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>

#include <cerrno>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "launcher/agent/base/error.h"

namespace adarun::launcher::agent {
namespace {

constexpr winsize window{24, 120, 0, 0};

[[noreturn]] void refuse() {
  throw Error("a pseudo-terminal (/dev/ptmx): " + base::system_text(errno));
}

}  // namespace

Terminal make_terminal() {
  Terminal terminal;
  terminal.agent = base::FileDescriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!terminal.agent || ::grantpt(terminal.agent.get()) != 0 || ::unlockpt(terminal.agent.get()) != 0)
    refuse();
  terminal.program =
      base::FileDescriptor(::ioctl(terminal.agent.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios settings{};
  if (!terminal.program || ::tcgetattr(terminal.program.get(), &settings) != 0) refuse();
  ::cfmakeraw(&settings);
  if (::tcsetattr(terminal.program.get(), TCSANOW, &settings) != 0) refuse();
  ::ioctl(terminal.agent.get(), TIOCSWINSZ, &window);
  return terminal;
}

}  // namespace adarun::launcher::agent
