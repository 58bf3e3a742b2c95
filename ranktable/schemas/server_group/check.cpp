// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/server_group/schema.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ranktable/model/address.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/rules/device_index.h"
#include "ranktable/rules/rules.h"
#include "ranktable/rules/unknown_fields.h"
#include "ranktable/schemas/base/super_pods.h"

namespace adarun::ranktable {
namespace {

constexpr Rule version_is_known{"version of a server_group table must be \"1.0\" or \"1.2\"", "",
                                "write \"1.0\", or \"1.2\" for the super pods of A3"};
constexpr Rule status_is_there{"status is advised: programs wait for \"completed\"", "",
                               "write \"status\": \"completed\"", Severity::warning};
constexpr Rule is_completed{"status of a server_group table must be \"completed\": programs wait for it", "",
                            "wait for what makes the table, or write \"completed\" where it is whole"};
constexpr Rule hccl_reads_none{
    "HCCL does not read a server_group table", "",
    "give HCCL the table of one group: adarun ranktable convert --to 1.0 --group ID"};
constexpr Rule is_for_serving{"server_group tables are A2's and A3's", "",
                              "make it the table of one group: adarun ranktable convert --to 1.0 --group ID",
                              Severity::warning};

// 31 as in versions 1.0 and 1.2.
constexpr int largest_device_id = 31;
constexpr Rule id_to_31{"device_id must be 0 to 31 in a server_group table", "",
                        "write the physical id of the card, as npu-smi info lists them, not its rank"};

constexpr SchemaForm form{.name = "server_group",
                          .lists = {"server_group_list", "server_list", "device"},
                          .rank_depth = 3,
                          .ranks_are_of_groups = true,
                          .largest_device_id = largest_device_id,
                          .device_id_rule = &id_to_31,
                          .schema_path = "$",
                          .generations = {false, true, true, false},
                          .of_other_generations = &is_for_serving};

// "$.server_group_list[1]"
std::string server_group_path(std::size_t group) {
  return item_path("$.server_group_list", group);
}

// "$.server_group_list[1].server_list[0]"
std::string group_server_path(std::size_t group, std::size_t server) {
  return item_path(server_group_path(group) + ".server_list", server);
}

// Adds the devices of a server, whose entries get this number.
void add_entries(DeviceIndex& index, const ServerGroupTable& table, std::uint32_t group, std::uint32_t place,
                 std::uint32_t number) {
  const std::vector<GroupDevice>& devices = table.groups[group].servers[place].devices;
  for (std::uint32_t i = 0; i < devices.size(); ++i)
    index.entries.push_back(
        {number, devices[i].device_id, devices[i].rank_id, devices[i].device_ip, {group, place, i}});
}

// All devices; entries of one server_id are one server.
DeviceIndex index_of(const ServerGroupTable& table) {
  DeviceIndex index;
  index.form = &form;
  ServerNumbers numbers;
  for (std::uint32_t g = 0; g < table.groups.size(); ++g)
    for (std::uint32_t s = 0; s < table.groups[g].servers.size(); ++s) {
      const GroupServer& server = table.groups[g].servers[s];
      if (!server.devices.empty()) add_entries(index, table, g, s, numbers.of(server.server_id));
    }
  index.servers = numbers.count();
  return index;
}

// The devices of one group; each entry is a server.
DeviceIndex index_of(const ServerGroupTable& table, std::uint32_t group) {
  DeviceIndex index;
  index.form = &form;
  const std::vector<GroupServer>& servers = table.groups[group].servers;
  for (std::uint32_t s = 0; s < servers.size(); ++s)
    if (!servers[s].devices.empty()) add_entries(index, table, group, s, index.servers++);
  return index;
}

void check_head(const ServerGroupTable& table, const ValidateOptions& options, Findings& findings) {
  if (options.profile == Profile::hccl) report(findings, hccl_reads_none, "$", "");
  if (!table.version.empty() && table.version != "1.0" && table.version != "1.2")
    report(findings, version_is_known, "$.version", in_quotes(table.version));
  if (table.status.empty()) return report(findings, status_is_there, "$.status", "");
  if (table.status == "completed") return;
  Rule rule = is_completed;
  if (table.status == "initializing") rule.severity = Severity::warning;
  report(findings, rule, "$.status", in_quotes(table.status));
}

// Each group has ranks of its own and may be of another size. That a generation has no such tables is said
// once.
void check_ranks_of_groups(const ServerGroupTable& table, const ValidateOptions& options,
                           Findings& findings) {
  const bool by_group = !options.generation || form.is_of(*options.generation);
  if (!by_group) check_generations(index_of(table), options, findings);
  for (std::uint32_t group = 0; group < table.groups.size(); ++group) {
    if (device_count(table.groups[group]) == 0) continue;
    const DeviceIndex index = index_of(table, group);
    if (rank_order(table.groups[group]) != RankOrder::server) check_ranks(index, findings);
    if (by_group) check_generations(index, options, findings);
  }
}

constexpr Rule has_groups{
    "server_group_list must have at least one group", "",
    "make the groups of a table: adarun ranktable convert --to server_group --role prefill=0-7 ..."};
constexpr Rule has_device{"at least one group must have a device", "",
                          "add the group of the servers that have devices, or make it of a table: adarun "
                          "ranktable convert --to server_group --role prefill=0-7 ..."};
constexpr Rule id_is_number{"group_id must be a decimal number", "",
                            "write \"0\" for the router, \"1\" for prefill, \"2\" for decode, or the "
                            "numbers that the program reads"};
constexpr Rule id_is_unique{"a group_id must be of one group only", "",
                            "join the servers of one group in one entry, or give each group its own number"};
constexpr Rule has_router{"a group 0 is advised: programs look for their router or coordinator there", "",
                          "add it: adarun ranktable convert --to server_group --role ... --router ADDRESS",
                          Severity::warning};
constexpr Rule count_is_right{"server_count must be the number of servers in the group", "",
                              "write the number of servers, as a string"};
constexpr Rule has_servers{"a group is advised to have a server", "",
                           "add its servers, or take the group out", Severity::warning};
constexpr Rule all_or_none{"the servers of a group must all have devices, or none of them", "",
                           "add its devices, or put the server into the group of the router"};
constexpr Rule ip_is_there{"server_ip must be there", "", "write the address at which the server is reached"};
constexpr Rule ip_is_host{"server_ip and container_ip must be an address or the name of a host", "",
                          "write the address at which the server is reached"};
constexpr Rule ip_is_address{"server_ip and container_ip are advised to be IPv4 or IPv6 addresses", "",
                             "write the address: MindIE takes no name", Severity::warning};
constexpr Rule pod_is_of_group{"super_pod_list of a group must name servers of the group alone", "",
                               "write a server_id of the group, or take the server out of the super pod"};
constexpr Rule super_device_is_number{
    "a super_device_id of a server_group table must be a decimal number, 0 to 4294967294", "",
    "write the card's SDID, as npu-smi info -t spod-info prints it"};

void check_host(const std::string& text, const std::string& path, Findings& findings) {
  if (parse_address(text)) return;
  const bool is_host = !is_placeholder(text) && is_server_name(text);
  report(findings, is_host ? ip_is_address : ip_is_host, path, in_quotes(text));
}

void check_server(const GroupServer& server, const std::string& path, Findings& findings) {
  if (!server.devices.empty() || !server.server_id.empty())
    check_server_id(server.server_id, path + ".server_id", findings);
  if (server.server_ip.empty())
    report(findings, ip_is_there, path + ".server_ip", "");
  else
    check_host(server.server_ip, path + ".server_ip", findings);
  if (!server.container_ip.empty()) check_host(server.container_ip, path + ".container_ip", findings);
}

void check_pods(const ServerGroup& group, std::size_t number, Findings& findings) {
  const std::string path = server_group_path(number) + ".super_pod_list";
  std::unordered_set<std::string_view> servers;
  for (const GroupServer& server : group.servers) servers.insert(server.server_id);
  check_pod_ids(group.super_pods, path, findings);
  const PodsOfServers pods = check_members(group.super_pods, path, servers, &pod_is_of_group, findings);
  // Of a second entry of a server the devices belong to the same pod.
  check_super_devices(
      group.servers, pods,
      [number](std::size_t server, std::size_t device) {
        return item_path(group_server_path(number, server) + ".device", device);
      },
      [](const std::string& id) { return id.empty() ? nullptr : &super_device_is_number; }, findings);
}

void check_group(const ServerGroup& group, std::size_t number, Findings& findings) {
  const std::string path = server_group_path(number);
  check_count(group.wrong_server_count, group.servers.size(), count_is_right, path + ".server_count",
              findings);
  if (group.servers.empty()) report(findings, has_servers, path + ".server_list", "");
  const bool has_devices = device_count(group) > 0;
  for (std::size_t i = 0; i < group.servers.size(); ++i) {
    check_server(group.servers[i], group_server_path(number, i), findings);
    if (has_devices && group.servers[i].devices.empty())
      report(findings, all_or_none, group_server_path(number, i), "no devices");
  }
  check_pods(group, number, findings);
}

void check_groups(const ServerGroupTable& table, Findings& findings) {
  if (table.groups.empty())
    report(findings, has_groups, "$.server_group_list", "");
  else if (device_count(table) == 0)
    report(findings, has_device, "$.server_group_list", "");
  std::unordered_map<std::string_view, std::size_t> holders;
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const std::string& id = table.groups[i].group_id;
    const std::string path = server_group_path(i) + ".group_id";
    if (!parse_decimal(id)) report(findings, id_is_number, path, in_quotes(id));
    const auto [first, is_new] = holders.emplace(id, i);
    if (!is_new) report_again(findings, id_is_unique, path, in_quotes(id), server_group_path(first->second));
    check_group(table.groups[i], i, findings);
  }
  if (!table.groups.empty() && holders.count("0") == 0)
    report(findings, has_router, "$.server_group_list", "");
}

}  // namespace

void check(const ServerGroupTable& table, const ValidateOptions& options, Findings& findings) {
  const DeviceIndex index = index_of(table);
  check_head(table, options, findings);
  check_unknown_fields(table, findings);
  check_groups(table, findings);
  check_device_ids(index, findings);
  check_ranks_of_groups(table, options, findings);
  if (!index.entries.empty()) check_addresses(index, options, findings);
  check_profile(index, options, findings);
}

}  // namespace adarun::ranktable
