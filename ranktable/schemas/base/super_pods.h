// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/json/fields.h"
#include "ranktable/json/writer.h"
#include "ranktable/model/table.h"
#include "ranktable/schemas/base/fact.h"

namespace adarun::ranktable {

// The super_pod_list of versions 1.2 and of server groups.

/// Reads the super_pod_list of an object; empty if absent.
std::vector<SuperPod> read_super_pods(JsonFields& fields);

/// Writes it, unless it is empty.
void write_super_pods(JsonWriter& out, const std::vector<SuperPod>& pods);

/// Adds the facts of the super_pod_list of the object at `path`.
void add_super_pod_facts(std::vector<Fact>& facts, const std::string& path,
                         const std::vector<SuperPod>& pods);

}  // namespace adarun::ranktable
