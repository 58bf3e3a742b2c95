// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ranktable/merge/merge.h"

namespace adarun::ranktable {

/// The super pods of all tables for `servers`, the merged ones: pods of the same id are one. In the order of
/// the servers. Throws Error, naming the files, on a server in two pods, a pod that names a server which is
/// in no table, and a super_device_id that comes twice in a pod. Warns where two tables say different things
/// of one pod besides its servers.
std::vector<SuperPod> merged_pods(std::span<const MergeInput> inputs, const std::vector<Server>& servers,
                                  std::vector<std::string>& warnings);

}  // namespace adarun::ranktable
