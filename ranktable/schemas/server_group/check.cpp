// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/server_group/check.h"

#include "ranktable/model/quote.h"
#include "ranktable/rules/rules.h"

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
constexpr DeviceIdLimit group_device_ids{
    31,
    {"device_id must be 0 to 31 in a server_group table", "",
     "write the physical id of the card, as npu-smi info lists them, not its rank"}};

constexpr SchemaForm form{.name = "server_group",
                          .lists = {"server_group_list", "server_list", "device"},
                          .rank_depth = 3,
                          .ranks_are_of_groups = true,
                          .device_ids = group_device_ids,
                          .schema_path = "$",
                          .generations = {false, true, true, false},
                          .of_other_generations = &is_for_serving};

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
