// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"
#include "ranktable/rules/generations.h"
#include "ranktable/schemas/base/check_pods.h"
#include "ranktable/schemas/v1/check.h"

namespace adarun::ranktable {
namespace {

constexpr Rule has_pods{"super_pod_list must have at least one super pod", "EI0014",
                        "name each super pod with its servers, or make it a table of version 1.0"};
constexpr Rule server_exists{"a super pod must name servers of the server_list alone", "EI0014",
                             "write a server_id of the server_list, or take the server out of the pod"};
constexpr Rule server_is_in_any{"every server must be in a super pod", "EI0014",
                                "name it in the server_list of its super pod"};
constexpr Rule device_is_there{
    "super_device_id must be there in version 1.2", "EI0017",
    "write the card's SDID, as npu-smi info -t spod-info prints it, or make it a table of "
    "version 1.0"};
constexpr Rule device_is_number{"super_device_id must be a decimal number, 0 to 4294967294", "EI0014",
                                "write the card's SDID, as npu-smi info -t spod-info prints it"};
constexpr Rule equal_pods_advised{"equal numbers of servers in all super pods are advised", "",
                                  "take the same number of servers of every super pod", Severity::warning};

constexpr const char* pods_path = "$.super_pod_list";

// A pod may name a server whose id could not be read, so the names are unknown only if all ids are there.
PodsOfServers pods_of_servers(const Table& table, Findings& findings) {
  std::unordered_set<std::string_view> servers;
  for (const Server& server : table.servers) servers.insert(server.server_id);
  const Rule* unknown = servers.count("") == 0 ? &server_exists : nullptr;
  servers.erase("");
  PodsOfServers pods = check_members(table.super_pods, pods_path, servers, unknown, findings);
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    const std::string& id = table.servers[i].server_id;
    if (!table.super_pods.empty() && !id.empty() && pods.count(id) == 0)
      report(findings, server_is_in_any, path_of(i) + ".server_id", in_quotes(id));
  }
  return pods;
}

void check_super_device_ids(const Table& table, const PodsOfServers& pods, Findings& findings) {
  SuperDevices super_devices([](SuperDevices::Place place) { return path_of(place.first, place.second); },
                             findings);
  for (std::size_t i = 0; i < table.servers.size(); ++i)
    for (std::size_t j = 0; j < table.servers[i].devices.size(); ++j) {
      const std::string& id = table.servers[i].devices[j].super_device_id;
      const auto number = super_device_number(id);
      const auto pod = pods.find(table.servers[i].server_id);
      if (!number)
        report(findings, id.empty() ? device_is_there : device_is_number, path_of(i, j) + ".super_device_id",
               id.empty() ? "" : in_quotes(id));
      else if (pod != pods.end())
        super_devices.add(pod->second, *number, {i, j});
    }
}

}  // namespace

void check_super_pods(const Table& table, Findings& findings) {
  if (table.version != "1.2") return;
  if (table.super_pods.empty()) report(findings, has_pods, pods_path, "");
  check_pod_ids(table.super_pods, pods_path, findings);
  check_super_device_ids(table, pods_of_servers(table, findings), findings);
}

void advise_equal_pods(const Table& table, const ValidateOptions& options, Findings& findings) {
  if (table.version != "1.2" || options.generation.value_or(Generation::a3) != Generation::a3) return;
  const std::vector<SuperPod>& pods = table.super_pods;
  const auto other = std::find_if(pods.begin(), pods.end(), [&pods](const SuperPod& pod) {
    return pod.servers.size() != pods.front().servers.size();
  });
  if (other == pods.end()) return;
  GenerationFindings(Generation::a3, options.generation.has_value(), findings)
      .report(equal_pods_advised,
              item_path(pods_path, static_cast<std::size_t>(other - pods.begin())) + ".server_list",
              std::to_string(other->servers.size()) + " here and " +
                  std::to_string(pods.front().servers.size()) + " in the first");
}

}  // namespace adarun::ranktable
