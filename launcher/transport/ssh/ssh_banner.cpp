// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/ssh_banner.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

constexpr std::string_view identification = "SSH-";
constexpr std::size_t most_text_bytes = 8192;

// Whether the other side has closed its end.
bool has_hung_up(int socket) {
  pollfd asked{socket, POLLRDHUP, 0};
  return poll(&asked, 1, 0) > 0;
}

}  // namespace

SshBanner::Answer SshBanner::read(int socket) {
  std::array<char, 512> buffer{};
  while (true) {
    const ssize_t size = recv(socket, buffer.data(), buffer.size(), MSG_PEEK | MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return Answer::incomplete;
    if (size <= 0) return Answer::hang_up;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
    if (at_line_start()) {
      const bool part = bytes.size() < identification.size() && identification.starts_with(bytes);
      wait_for(socket, part ? static_cast<int>(identification.size()) : 1);
      if (bytes.starts_with(identification)) return Answer::sshd;
      if (part) return has_hung_up(socket) ? Answer::hang_up : Answer::incomplete;
    }
    const std::size_t line = std::min(bytes.size(), bytes.find('\n') + 1);
    const std::size_t taken = line == 0 ? bytes.size() : line;
    text_ += bytes.substr(0, taken);
    recv(socket, buffer.data(), taken, MSG_DONTWAIT);
    if (text_.size() > most_text_bytes) throw Error("what answers there is no sshd: it sends too much text");
  }
}

void SshBanner::wait_for(int socket, int bytes) {
  if (bytes == awaited_bytes_) return;
  setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
  awaited_bytes_ = bytes;
}

std::string SshBanner::words() const {
  std::string line = text_.substr(0, text_.find_first_of("\r\n"));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return line;
}

}  // namespace adarun::launcher
