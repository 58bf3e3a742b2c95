// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// A connection that a jump host makes for us: the state that both sides share. Thread-safe except for the
/// sockets, each of which belongs to one side.
struct Tunnel {
  std::string hostname;
  int port = 0;
  std::string from;           ///< The name of the jump host.
  base::FileDescriptor near;  ///< Of the side that requested it.
  base::FileDescriptor far;   ///< Of the jump host's thread, which closes it when it fails or ends.

  /// The jump host has connected to the host.
  void open() { is_open_ = true; }
  bool is_open() const { return is_open_; }

  void fail(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    failure_ = reason;
  }

  /// Why there is no connection, or no longer one; empty: there is one, or it ended by itself.
  std::string failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  std::atomic<bool> is_open_ = false;
  mutable std::mutex mutex_;
  std::string failure_;
};

}  // namespace adarun::launcher
