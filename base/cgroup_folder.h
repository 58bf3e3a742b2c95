// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace adarun::base {

/// The folder of this process's own control group of version 2, from the texts of /proc/self/mountinfo and
/// /proc/self/cgroup; nothing if version 2 is not mounted or the group is outside of what is mounted. Version
/// 1 may be mounted as well. Pure.
std::optional<std::string> cgroup_folder(const std::string& mountinfo, const std::string& cgroup);

}  // namespace adarun::base
