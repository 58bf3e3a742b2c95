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

// Requests that were left for lack of room are taken once there is room. answer() and tell() may make it,
// too, between two exchanges: so POLLOUT is awaited as long as requests are left.
short Client::events() const {
  const bool has_request = reader_.has_line();
  const bool is_to_write = !unread_.empty() || !told_.empty() || has_request;
  return static_cast<short>((has_room() && !has_request ? POLLIN : 0) | (is_to_write ? POLLOUT : 0));
}

bool Client::exchange() {
  send();
  if (!socket_ || !has_room()) return false;
  if (reader_.has_line()) return true;
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
