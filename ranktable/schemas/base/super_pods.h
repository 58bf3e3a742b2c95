// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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

inline constexpr Rule super_device_is_unique{
    "a super_device_id must be of one device of its super pod only", "EI0014",
    "write each card's own SDID, as npu-smi info -t spod-info prints it"};

/// Checks that each super_device_id of the devices of `servers` is a number, and of one device of its super
/// pod only. `path_of(i, j)` gives the path of device j of server i, `rule_for(id)` the rule that an id
/// violates that is no number, or nullptr.
template <typename SomeServer, typename PathOf, typename RuleFor>
void check_super_devices(const std::vector<SomeServer>& servers, const PodsOfServers& pods, PathOf path_of,
                         RuleFor rule_for, Findings& findings) {
  std::map<std::pair<std::size_t, std::uint32_t>, std::pair<std::size_t, std::size_t>> holders;
  for (std::size_t i = 0; i < servers.size(); ++i)
    for (std::size_t j = 0; j < servers[i].devices.size(); ++j) {
      const std::string& id = servers[i].devices[j].super_device_id;
      const auto pod = pods.find(servers[i].server_id);
      if (const auto number = super_device_number(id); !number) {
        if (const Rule* rule = rule_for(id))
          report(findings, *rule, path_of(i, j) + ".super_device_id", id.empty() ? "" : in_quotes(id));
      } else if (pod != pods.end()) {
        const auto [first, is_new] = holders.emplace(std::pair(pod->second, *number), std::pair(i, j));
        if (!is_new)
          report_again(findings, super_device_is_unique, path_of(i, j) + ".super_device_id",
                       in_quotes(std::to_string(*number)),
                       path_of(first->second.first, first->second.second));
      }
    }
}

/// Adds the facts of the super_pod_list of the object at `path`.
void add_super_pod_facts(std::vector<SchemaField>& facts, const std::string& path,
                         const std::vector<SuperPod>& pods);

}  // namespace adarun::ranktable
