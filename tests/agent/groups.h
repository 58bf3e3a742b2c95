// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <string>

#include "launcher/agent/cgroup_place.h"
#include "launcher/agent/read_text.h"

namespace adarun::agent {

/// Where the agent's control groups would be; empty where it can have none.
inline std::string place_of_groups() {
  const auto own = cgroup_folder(read_text("/proc/self/mountinfo"), read_text("/proc/self/cgroup"));
  return own && ::access(own->c_str(), W_OK) == 0 ? *own : "";
}

}  // namespace adarun::agent
