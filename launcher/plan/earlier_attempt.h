// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace adarun::launcher {

/// An attempt at a job before the current one.
struct EarlierAttempt {
  std::string job_id;
  std::int64_t began_ns = 0;  ///< Since the Unix epoch.
  std::chrono::milliseconds duration{0};
  std::string nodes;  ///< Their names, folded: "node[1-4]".
  std::size_t world_size = 0;
  int status = 0;           ///< The exit status that adarun would have had.
  std::string failure;      ///< The message of the first one.
  std::string change = {};  ///< Of its nodes after it: "node2 is lost; node3 joins"; empty: none.
};

}  // namespace adarun::launcher
