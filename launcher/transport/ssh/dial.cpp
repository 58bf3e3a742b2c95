// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/dial.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <cerrno>

#include "base/system_text.h"
#include "launcher/base/error.h"

namespace adarun::launcher {

bool AddressDial::advance() {
  if (!socket_) return start_next();
  pollfd polled{socket_.get(), POLLOUT, 0};
  if (poll(&polled, 1, 0) == 0) {
    if (addresses_.size() > 1 && Clock::now() >= turn_end_) give_turn_to_next();
    return false;
  }
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0) return true;
  fail(error);
  return false;
}

short AddressDial::wanted() const {
  return POLLOUT;
}

bool AddressDial::start_next() {
  const SocketAddress& address = addresses_[next_];
  socket_ =
      base::FileDescriptor(socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_) throw Error("cannot make a socket: " + base::system_text(errno));
  turn_end_ = Clock::now() + turn_;
  const int on = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0)
    return true;
  if (errno != EINPROGRESS) fail(errno);
  return false;
}

std::string AddressDial::status_text() const {
  if (!socket_) return "";
  return addresses_[next_].text_with_port() + " does not answer (is the host up, is there a firewall?)";
}

void AddressDial::give_turn_to_next() {
  ++next_;
  socket_.reset();
  if (next_ < addresses_.size()) return;
  next_ = 0;
  turn_ *= 2;
}

void AddressDial::fail(int error) {
  const std::string where = addresses_[next_].text_with_port();
  socket_.reset();
  addresses_.erase(addresses_.begin() + static_cast<std::ptrdiff_t>(next_));
  if (addresses_.empty()) throw Error("cannot connect to " + where + ": " + base::system_text(error));
  if (next_ == addresses_.size()) next_ = 0;
}

}  // namespace adarun::launcher
