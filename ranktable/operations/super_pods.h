// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ranktable/operations/merge.h"

namespace adarun::ranktable {

/// The super pods of all tables, for the merged `servers` and in their order. Pods with the same id become
/// one. Throws Error, naming the files, on a server in two pods, a pod that names a server not in any table,
/// and a repeated super_device_id in a pod. Warns if two tables differ in a pod's fields other than its
/// servers.
std::vector<SuperPod> merged_pods(std::span<const MergeInput> inputs, const std::vector<Server>& servers,
                                  std::vector<std::string>& warnings);

}  // namespace adarun::ranktable
