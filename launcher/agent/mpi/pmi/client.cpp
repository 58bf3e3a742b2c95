// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmi/client.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace adarun::launcher::agent::pmi {
namespace {

bool comes_later(int error) {
  return error == EAGAIN || error == EINTR;
}

}  // namespace

short Client::events() const {
  return static_cast<short>((has_room() ? POLLIN : 0) | (unread_.empty() && told_.empty() ? 0 : POLLOUT));
}

bool Client::exchange() {
  send();
  if (!socket_ || !has_room()) return false;
  std::array<char, turn_bytes> bytes;  // NOLINT: filled by recv
  const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size < 0 && comes_later(errno)) return false;
  if (size <= 0) {
    close();
    return false;
  }
  reader_.feed({bytes.data(), static_cast<std::size_t>(size)});
  return true;
}

std::optional<Command> Client::next() {
  return has_room() ? reader_.next() : std::nullopt;
}

void Client::answer(const Command& command) {
  if (deaf_ || !socket_) return;
  unread_ += line_of(command);
  send();
}

void Client::tell(const Command& command) {
  if (deaf_ || !socket_) return;
  told_ = line_of(command);
  send();
}

void Client::send() {
  if (unread_.empty()) unread_ = std::exchange(told_, {});
  if (unread_.empty() || !socket_) return;
  const ssize_t size = ::send(socket_.get(), unread_.data(), unread_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (size < 0 && comes_later(errno)) return;
  deaf_ = size < 0;
  unread_.erase(0, deaf_ ? unread_.size() : static_cast<std::size_t>(size));
}

}  // namespace adarun::launcher::agent::pmi
