// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "launcher/transport/ssh/dial.h"
#include "launcher/transport/ssh/socket_address.h"

namespace adarun::launcher {

/// Connects to the first of several addresses that answers.
class AddressDial : public Dial {
 public:
  explicit AddressDial(std::vector<SocketAddress> addresses) : addresses_(std::move(addresses)) {}

  /// Throws Error, naming the last address, when none answers.
  bool advance() override;

  int fd() const override { return socket_.get(); }
  short wanted() const override;
  base::FileDescriptor take() override { return std::move(socket_); }
  std::string status_text() const override;

 private:
  bool start_next();
  void fail(int error);

  std::vector<SocketAddress> addresses_;
  std::size_t next_ = 0;
  base::FileDescriptor socket_;
};

}  // namespace adarun::launcher
