// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/greeting.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "launcher/error.h"

namespace adarun::launcher {
namespace {

constexpr std::string_view identification = "SSH-";
constexpr std::size_t most_text_bytes = 8192;

}  // namespace

Greeting::Heard Greeting::listen(int socket) {
  std::array<char, 512> buffer{};
  while (true) {
    const ssize_t size = recv(socket, buffer.data(), buffer.size(), MSG_PEEK | MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return Heard::nothing;
    if (size <= 0) return Heard::hang_up;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
    if (at_line_start()) {
      if (bytes.starts_with(identification)) return Heard::sshd;
      if (identification.starts_with(bytes)) return Heard::nothing;
    }
    const std::size_t line = std::min(bytes.size(), bytes.find('\n') + 1);
    const std::size_t taken = line == 0 ? bytes.size() : line;
    text_ += bytes.substr(0, taken);
    recv(socket, buffer.data(), taken, MSG_DONTWAIT);
    if (text_.size() > most_text_bytes) throw Error("what answers there is no sshd: it sends too much text");
  }
}

std::string Greeting::words() const {
  std::string line = text_.substr(0, text_.find_first_of("\r\n"));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return line;
}

}  // namespace adarun::launcher
