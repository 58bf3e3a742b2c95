// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace adarun::launcher {

/// Waits until `holds`; false: it does not within `longest`.
inline bool await(const std::function<bool()>& holds,
                  std::chrono::seconds longest = std::chrono::seconds(40)) {
  const auto end = std::chrono::steady_clock::now() + longest;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace adarun::launcher
