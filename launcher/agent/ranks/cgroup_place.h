// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace adarun::launcher::agent {

/// The folder of this process's own control group of version 2, from the texts of /proc/self/mountinfo and
/// /proc/self/cgroup; nothing where none is mounted, or not where it can be seen. Version 1 may be mounted
/// beside it. Pure.
std::optional<std::string> cgroup_folder(const std::string& mountinfo, const std::string& cgroup);

}  // namespace adarun::launcher::agent
