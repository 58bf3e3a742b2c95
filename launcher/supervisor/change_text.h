// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::launcher {

/// How the nodes of a job change, by their names: "node2 is lost; node[4-5] leave; node3 joins".
/// Of one that leaves, because it was lost, and joins again only the latter.
std::string change_text(const std::vector<std::string>& lost, const std::vector<std::string>& removed,
                        const std::vector<std::string>& joined);

}  // namespace adarun::launcher
