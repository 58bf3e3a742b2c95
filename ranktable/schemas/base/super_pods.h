// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/model/table.h"
#include "ranktable/schemas/base/fact.h"

namespace adarun::ranktable {

// The super_pod_list of versions 1.2 and of server groups.

/// Adds the facts of the super_pod_list of the object at `path`.
void add_super_pod_facts(std::vector<Fact>& facts, const std::string& path,
                         const std::vector<SuperPod>& pods);

}  // namespace adarun::ranktable
