// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <string>

#include "base/cgroup_folder.h"
#include "base/read_text.h"

namespace adarun::launcher::agent {

/// The folder of the agent's cgroups; empty if it can have none.
inline std::string place_of_groups() {
  const auto own =
      base::cgroup_folder(base::read_text("/proc/self/mountinfo"), base::read_text("/proc/self/cgroup"));
  return own && ::access(own->c_str(), W_OK) == 0 ? *own : "";
}

}  // namespace adarun::launcher::agent
