// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"
#include "ranktable/schemas/base/conversion.h"

namespace adarun::ranktable {

// The super_pod_list of version 1.2 and of server groups: its rules, for which `path` is that of the list
// ("$.super_pod_list"), and its facts.

/// Checks that each pod has an id of its own and a server.
void check_pod_ids(const std::vector<SuperPod>& pods, const std::string& path, Findings& findings);

/// The number of its pod in the list, by server_id. Borrows the ids.
using PodsOfServers = std::unordered_map<std::string_view, std::size_t>;

/// Finds the pods of servers; reports a server that is in two, or twice in one, and, by `unknown`, one that
/// is none of `servers`. Nothing is reported by a null `unknown`.
PodsOfServers check_members(const std::vector<SuperPod>& pods, const std::string& path,
                            const std::unordered_set<std::string_view>& servers, const Rule* unknown,
                            Findings& findings);

/// The value of a super_device_id: a decimal number, 0 to 4294967294, as HCCL uses 4294967295 for "none".
std::optional<std::uint32_t> super_device_number(const std::string& text);

/// Checks that each super_device_id is of one device of its super pod only.
class SuperDevices {
 public:
  /// A device: the numbers of its server and in it.
  using Place = std::pair<std::size_t, std::size_t>;

  /// `path_of` gives the path of a device.
  SuperDevices(std::function<std::string(Place)> path_of, Findings& findings)
      : path_of_(std::move(path_of)), findings_(findings) {}

  void add(std::size_t pod, std::uint32_t number, Place place);

 private:
  std::function<std::string(Place)> path_of_;
  Findings& findings_;
  std::map<std::pair<std::size_t, std::uint32_t>, Place> holders_;
};

/// Adds the facts of the super_pod_list of the object at `path`.
void add_super_pod_facts(std::vector<SchemaField>& facts, const std::string& path,
                         const std::vector<SuperPod>& pods);

}  // namespace adarun::ranktable
