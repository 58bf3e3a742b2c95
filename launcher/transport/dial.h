// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <string>
#include <vector>

#include "launcher/posix/file_descriptor.h"

namespace adarun::launcher {

/// One address of a host, as the system's resolver gave it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  /// "10.0.0.1" or "fe80::1".
  std::string text() const;

  /// In 127.0.0.0/8, or ::1: this machine, whoever asks.
  bool is_loopback() const;
};

/// The address of this machine on the way to `other`, as the routing table has it; "" where there is no way.
/// Sends nothing.
std::string own_address_towards(const SocketAddress& other);

/// Connects to the first of several addresses that answers, without blocking.
class Dial {
 public:
  explicit Dial(std::vector<SocketAddress> addresses) : addresses_(std::move(addresses)) {}

  /// True once connected. Throws Error, naming the last address, when none answers.
  bool advance();

  int fd() const { return socket_.get(); }

  /// Hands the connected socket over.
  posix::FileDescriptor take() { return std::move(socket_); }

 private:
  bool start_next();
  void fail(int error);

  std::vector<SocketAddress> addresses_;
  std::size_t next_ = 0;
  posix::FileDescriptor socket_;
};

}  // namespace adarun::launcher
