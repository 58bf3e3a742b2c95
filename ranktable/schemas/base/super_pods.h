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
#include "ranktable/model/quote.h"
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

/// The path of device `device` of server `server`, both counted in their lists.
using DevicePath = std::function<std::string(std::size_t server, std::size_t device)>;

/// The first device, as a DevicePath counts it, of each super pod with each super_device_id.
using SuperDeviceHolders =
    std::map<std::pair<std::size_t, std::uint32_t>, std::pair<std::size_t, std::size_t>>;

/// Adds `device` to the holders; reports it if its pod has a device with this id already.
void check_super_device(std::pair<std::size_t, std::uint32_t> pod_and_id,
                        std::pair<std::size_t, std::size_t> device, const DevicePath& path_of,
                        SuperDeviceHolders& holders, Findings& findings);

/// Checks that each super_device_id of the devices of `servers` is a number, and of one device of its super
/// pod only. `rule_for(id)` gives the rule that an id violates that is no number, or nullptr.
template <typename SomeServer, typename RuleFor>
void check_super_devices(const std::vector<SomeServer>& servers, const PodsOfServers& pods,
                         const DevicePath& path_of, RuleFor rule_for, Findings& findings) {
  SuperDeviceHolders holders;
  for (std::size_t i = 0; i < servers.size(); ++i)
    for (std::size_t j = 0; j < servers[i].devices.size(); ++j) {
      const std::string& id = servers[i].devices[j].super_device_id;
      const auto number = super_device_number(id);
      const Rule* const rule = number ? nullptr : rule_for(id);
      if (rule != nullptr)
        report(findings, *rule, path_of(i, j) + ".super_device_id", id.empty() ? "" : in_quotes(id));
      const auto pod = pods.find(servers[i].server_id);
      if (number && pod != pods.end())
        check_super_device({pod->second, *number}, {i, j}, path_of, holders, findings);
    }
}

/// Adds the facts of the super_pod_list of the object at `path`.
void add_super_pod_facts(std::vector<SchemaField>& facts, const std::string& path,
                         const std::vector<SuperPod>& pods);

}  // namespace adarun::ranktable
