// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "base/process.h"
#include "base/read_text.h"

namespace adarun::launcher::agent {

/// The folder of the agent's cgroups; empty if it can have none.
inline std::string place_of_groups() {
  const auto own =
      base::cgroup_folder(base::read_text("/proc/self/mountinfo"), base::read_text("/proc/self/cgroup"));
  return own && ::access(own->c_str(), W_OK) == 0 ? *own : "";
}

/// Whether there is a group of node 0 of this job.
inline bool has_group_of(const std::string& job_id) {
  const std::string begin = "adarun-" + job_id + "-0.";
  std::error_code none;
  for (const auto& group : std::filesystem::directory_iterator(place_of_groups(), none))
    if (group.path().filename().string().starts_with(begin)) return true;
  return false;
}

}  // namespace adarun::launcher::agent
