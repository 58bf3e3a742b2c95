// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace adarun::launcher {

/// What the name of the folder of a job's agent on one of its nodes begins with, for as long as it runs.
inline std::string scratch_folder(const std::string& job_id, std::size_t node) {
  return "/tmp/adarun-" + job_id + "-" + std::to_string(node);
}

}  // namespace adarun::launcher
