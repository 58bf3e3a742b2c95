// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// A connection that another host makes for us: what both sides know of it. Thread-safe but for the sockets,
/// which belong to one side each.
struct Tunnel {
  std::string hostname;
  int port = 0;
  base::FileDescriptor near;  ///< Of who wanted it.
  base::FileDescriptor far;   ///< Of the jump host's thread; it closes it when it fails or ends.

  void fail(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    failure_ = reason;
  }

  /// Why there is no connection, or none any more; empty: there is one, or it ended by itself.
  std::string failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  mutable std::mutex mutex_;
  std::string failure_;
};

}  // namespace adarun::launcher
