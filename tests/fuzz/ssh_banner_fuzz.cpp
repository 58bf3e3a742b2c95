// SPDX-License-Identifier: Apache-2.0
// Any bytes from a port, in two pieces: an sshd's version line, other text that can be shown, or an Error.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "launcher/base/error.h"
#include "launcher/transport/ssh/ssh_connector.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace launcher = adarun::launcher;

namespace {

void send_all(int socket, std::string_view bytes) {
  demand(::send(socket, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
}

// The result after all bytes were sent and the other side closed the connection.
void read_banner(std::string_view first, std::string_view second, int ours, int theirs) {
  launcher::SshBanner banner;
  using Answer = launcher::SshBanner::Answer;
  send_all(theirs, first);
  Answer answer = banner.read(ours);
  demand(answer != Answer::hang_up);
  if (answer == Answer::incomplete) {
    send_all(theirs, second);
    ::shutdown(theirs, SHUT_WR);
    for (int looks = 0; looks < 3 && answer == Answer::incomplete; ++looks) answer = banner.read(ours);
    demand(answer != Answer::incomplete);
  }
  demand(banner.words().find('\n') == std::string::npos);
  if (answer != Answer::sshd) return;
  std::array<char, 4> next{};
  demand(::recv(ours, next.data(), next.size(), 0) == 4);
  demand(std::string_view(next.data(), next.size()) == "SSH-");
}

}  // namespace

FUZZ_TARGET(ssh_banner) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  int sockets[2];
  demand(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets) == 0);
  const std::size_t cut = bytes.size() * data[0] / 256;
  try {
    read_banner(bytes.substr(0, cut), bytes.substr(cut), sockets[0], sockets[1]);
  } catch (const launcher::Error& error) {
    demand(!std::string_view(error.what()).empty());
  }
  ::close(sockets[0]);
  ::close(sockets[1]);
  return 0;
}
