// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/transport/ssh/resolve.h"

namespace adarun::launcher {

/// One attempt to get a connected socket to an sshd, directly or through another host. Nothing here blocks.
class Dial {
 public:
  virtual ~Dial() = default;

  /// True once connected. Throws Error if that fails, with a reason of one line.
  virtual bool advance() = 0;

  /// What to poll; the descriptor is -1 if there is none yet.
  virtual int fd() const = 0;
  virtual short wanted() const = 0;

  /// Hands the connected socket over. status_text() may still be called.
  virtual base::FileDescriptor take() = 0;

  /// What it waits for, or why the socket it handed over is broken, if it knows more than the socket; else
  /// empty.
  virtual std::string status_text() const = 0;
};

using MakeDial = std::function<std::unique_ptr<Dial>()>;

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
