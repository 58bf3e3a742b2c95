// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "launcher/transport/ssh/dial.h"
#include "launcher/transport/ssh/socket_address.h"

namespace adarun::launcher {

/// Connects to the first of several addresses that answers. One that stays silent has a turn of a second,
/// then the next has; once all have had theirs they begin anew, with turns of twice the time. The owner keeps
/// the deadline.
class AddressDial : public Dial {
 public:
  using Clock = std::chrono::steady_clock;

  explicit AddressDial(std::vector<SocketAddress> addresses,
                       std::chrono::milliseconds turn = std::chrono::seconds(1))
      : addresses_(std::move(addresses)), turn_(turn) {}

  /// Throws Error, naming the last address, when none is left that has not refused.
  bool advance() override;

  int fd() const override { return socket_.get(); }
  short wanted() const override;
  base::FileDescriptor take() override { return std::move(socket_); }
  std::string status_text() const override;

 private:
  bool start_next();
  void give_turn_to_next();
  void fail(int error);

  std::vector<SocketAddress> addresses_;  ///< Without those that have refused.
  std::size_t next_ = 0;
  std::chrono::milliseconds turn_;
  Clock::time_point turn_end_{};
  base::FileDescriptor socket_;
};

}  // namespace adarun::launcher
