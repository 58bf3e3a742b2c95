// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace adarun::launcher {

/// What `adarun stop` is among the signals that end a job: one that nobody else sends, and that counts twice
/// when it is sent twice.
inline int stop_signal() {
  return SIGRTMIN;
}

}  // namespace adarun::launcher
