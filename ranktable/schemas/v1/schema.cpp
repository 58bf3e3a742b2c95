// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/v1/schema.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ranktable/json/field_reader.h"
#include "ranktable/model/address.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/table.h"
#include "ranktable/rules/device_index.h"
#include "ranktable/rules/rules.h"
#include "ranktable/rules/unknown_fields.h"
#include "ranktable/schemas/base/conversion.h"
#include "ranktable/schemas/base/super_pods.h"

namespace adarun::ranktable {
namespace {

// A server_group table may have the same versions.
bool has_version(JsonValue root, std::string_view wanted) {
  const std::optional<JsonValue> version = root.member("version");
  return version && version->is_text(wanted) && !root.member("server_group_list");
}

}  // namespace

bool is_v1_0(JsonValue root) {
  return has_version(root, "1.0");
}

bool is_v1_2(JsonValue root) {
  return has_version(root, "1.2");
}

void keep(Table& table, const KeptDevices& kept) {
  std::erase_if(table.servers, [&kept](const Server& server) { return !kept.has(server.server_id); });
  for (Server& server : table.servers) {
    std::erase_if(server.devices,
                  [&](const Device& device) { return !kept.has(server.server_id, device.device_id); });
    for (Device& device : server.devices) device.rank_id = kept.new_rank(device.rank_id);
  }
  for (SuperPod& pod : table.super_pods)
    std::erase_if(pod.servers, [&kept](const SuperPodMember& member) { return !kept.has(member.server_id); });
  std::erase_if(table.super_pods, [](const SuperPod& pod) { return pod.servers.empty(); });
  table.wrong_server_count.reset();
}

namespace {

void add_server(std::vector<SchemaField>& facts, const std::string& path, const Server& server) {
  for (std::size_t i = 0; i < server.devices.size(); ++i)
    add_device_facts(facts, item_path(path + ".device", i), server.devices[i].super_device_id,
                     server.devices[i].extras);
  if (!server.host_nic_ip.empty() && server.host_nic_ip != reserved_host_nic_ip)
    facts.push_back({FieldKind::v1_field, path + ".host_nic_ip", in_quotes(server.host_nic_ip)});
  add_facts(facts, FieldKind::v1_field, path, server.extras);
}

}  // namespace

std::vector<SchemaField> facts_of(const Table& table) {
  std::vector<SchemaField> facts;
  for (std::size_t i = 0; i < table.servers.size(); ++i)
    add_server(facts, item_path("$.server_list", i), table.servers[i]);
  add_super_pod_facts(facts, "$", table.super_pods);
  add_facts(facts, FieldKind::v1_field, "$", table.extras);
  return facts;
}

namespace {

constexpr const char* sole_super_pod_id = "0";

void drop_super_pods(Table& table) {
  table.super_pods.clear();
  for (Server& server : table.servers)
    for (Device& device : server.devices) device.super_device_id.clear();
}

bool has_super_field(const Device& device) {
  return find_field(device.extras, "super_device_id") != nullptr;
}

void add_super_pod(Table& table, Additions& additions) {
  SuperPod& pod = table.super_pods.emplace_back();
  pod.super_pod_id = sole_super_pod_id;
  for (const Server& server : table.servers) pod.servers.push_back({server.server_id});
  additions.push_back(std::string("$.super_pod_list[0].super_pod_id: \"") + sole_super_pod_id +
                      "\", with all servers: which share a fabric is not known");
}

}  // namespace

Table as_v1(const Table& table) {
  return table;
}

Table to_v1_0(const Table& ranks, Additions&) {
  require_server_ids(ranks);
  Table table = ranks;
  table.version = "1.0";
  table.wrong_server_count.reset();
  drop_super_pods(table);
  return table;
}

Table to_v1_2(const Table& ranks, Additions& additions) {
  require_server_ids(ranks);
  Table table = ranks;
  table.version = "1.2";
  table.wrong_server_count.reset();
  const bool names_pods = find_field(table.extras, "super_pod_list") != nullptr;
  if (table.super_pods.empty() && !names_pods) add_super_pod(table, additions);
  // 1.2 interprets fields that a 1.0 table only preserves, so they must be parsed and valid.
  if (names_pods || any_device(table, has_super_field))
    table = read_again(table, "as a table of version 1.2");
  if (any_device(table, [](const Device& device) { return device.super_device_id.empty(); }))
    additions.emplace_back(
        "$.server_list[*].device[*].super_device_id: none, though HCCL wants it on A3: npu-smi info -t "
        "spod-info prints it");
  return table;
}

namespace {

constexpr Rule super_pods_are_a3s{"version 1.2 is for the super pods of A3", "",
                                  "make it a table of version 1.0: adarun ranktable convert --to 1.0",
                                  Severity::warning};

// 31 is the largest id of all generations that use version 1.x (310P).
constexpr int largest_device_id = 31;
constexpr Rule id_to_31{"device_id must be 0 to 31", "EI0014",
                        "write the physical id of the card, as npu-smi info lists them, not its rank"};

constexpr SchemaForm form_1_0{.name = "1.0",
                              .lists = {"server_list", "device"},
                              .rank_depth = 2,
                              .largest_device_id = largest_device_id,
                              .device_id_rule = &id_to_31,
                              .schema_path = "$.version",
                              .generations = {true, true, true, false}};
constexpr SchemaForm form_1_2{.name = "1.2",
                              .lists = {"server_list", "device"},
                              .rank_depth = 2,
                              .largest_device_id = largest_device_id,
                              .device_id_rule = &id_to_31,
                              .schema_path = "$.version",
                              .generations = {false, false, true, false},
                              .of_other_generations = &super_pods_are_a3s};

// Servers are identified by their position in the table.
DeviceIndex index_of(const Table& table) {
  DeviceIndex index;
  index.form = table.version == "1.2" ? &form_1_2 : &form_1_0;
  index.servers = static_cast<std::uint32_t>(table.servers.size());
  index.super_pods = static_cast<std::uint32_t>(table.super_pods.size());
  index.entries.reserve(device_count(table));
  for (std::uint32_t i = 0; i < index.servers; ++i) {
    const std::vector<Device>& devices = table.servers[i].devices;
    for (std::uint32_t j = 0; j < devices.size(); ++j)
      index.entries.push_back({i, devices[j].device_id, devices[j].rank_id, devices[j].device_ip, {i, j, 0}});
  }
  return index;
}

// "$.server_list[1]"
std::string path_of(std::size_t server) {
  return item_path("$.server_list", server);
}

std::string path_of(std::size_t server, std::size_t device) {
  return item_path(path_of(server) + ".device", device);
}

constexpr Rule count_is_right{"server_count must be the number of servers", "EI0014",
                              "write the number of servers, as a string"};
constexpr Rule has_servers{"server_list must have at least one server", "EI0014",
                           "add the servers: adarun ranktable gen makes the table of one, merge joins them"};
constexpr Rule has_devices{"a server must have at least one device", "EI0014",
                           "add its devices, or take the server out of the table"};
constexpr Rule id_is_unique{"a server_id must be of one server only", "EI0014",
                            "join the devices of one server in one entry, or give each server its own id"};

void check_servers(const Table& table, Findings& findings) {
  check_count(table.wrong_server_count, table.servers.size(), count_is_right, "$.server_count", findings);
  if (table.servers.empty()) report(findings, has_servers, "$.server_list", "");
  std::unordered_map<std::string_view, std::size_t> holders;
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    const Server& server = table.servers[i];
    const std::string path = path_of(i);
    check_server_id(server.server_id, path + ".server_id", findings);
    const auto [first, is_new] = holders.emplace(server.server_id, i);
    if (!is_new)
      report_again(findings, id_is_unique, path + ".server_id", in_quotes(server.server_id),
                   path_of(first->second));
    if (server.devices.empty()) report(findings, has_devices, path + ".device", "");
  }
}

constexpr Rule is_address{"an address must be IPv4 or IPv6", "EI0014",
                          "write the address in full, or leave the field out"};
constexpr Rule is_port{"a port must be \"1\" to \"65535\"", "EI0014",
                       "write a free port as a string, such as \"16666\", or leave the field out"};
constexpr Rule is_high_port{"ports below 1024 are advised against", "", "write a free port from 1024 on",
                            Severity::warning};

constexpr std::size_t max_shown_bytes = 80;

// The value of a JSON string; nothing if it is not a string or has escapes, which no port or address needs.
std::optional<std::string_view> text_of(std::string_view json) {
  if (json.size() < 2 || json.front() != '"' || json.find('\\') != std::string_view::npos)
    return std::nullopt;
  return json.substr(1, json.size() - 2);
}

std::string shown(const Extra& extra) {
  return extra.json.size() <= max_shown_bytes ? extra.json : extra.json.substr(0, max_shown_bytes) + "...";
}

void check_address(const Extra& extra, const std::string& path, Findings& findings) {
  const auto text = text_of(extra.json);
  if (!text || !parse_address(*text)) report(findings, is_address, path + "." + extra.name, shown(extra));
}

void check_port(const Extra& extra, const std::string& path, Findings& findings) {
  const auto text = text_of(extra.json);
  const std::optional<int> port = text ? parse_decimal(*text) : std::nullopt;
  if (!port || *port < 1 || *port > 65535)
    report(findings, is_port, path + "." + extra.name, shown(extra));
  else if (*port < 1024)
    report(findings, is_high_port, path + "." + extra.name, shown(extra));
}

// Fields that HCCL reads and that the model keeps unchanged: ports and further addresses, if present.
void check_optional_fields(const Table& table, Findings& findings) {
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    const Server& server = table.servers[i];
    for (const Extra& extra : server.extras)
      if (extra.name == "host_ip") check_address(extra, path_of(i), findings);
    for (std::size_t j = 0; j < server.devices.size(); ++j)
      for (const Extra& extra : server.devices[j].extras) {
        if (extra.name == "device_port" || extra.name == "host_port" || extra.name == "backup_device_port")
          check_port(extra, path_of(i, j), findings);
        if (extra.name == "backup_device_ip" && extra.json != "\"\"")
          check_address(extra, path_of(i, j), findings);
      }
  }
}

constexpr Rule has_pods{"super_pod_list is advised in version 1.2: without it HCCL knows no super pods", "",
                        "name each super pod with its servers, or make it a table of version 1.0",
                        Severity::warning};
constexpr Rule server_exists{"a super pod must name servers of the server_list alone", "EI0014",
                             "write a server_id of the server_list, or take the server out of the pod"};
constexpr Rule server_is_in_any{"every server must be in a super pod", "EI0014",
                                "name it in the server_list of its super pod"};
constexpr Rule device_is_there{
    "super_device_id must be there where there is a super_pod_list", "EI0017",
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

void check_super_pods(const Table& table, Findings& findings) {
  if (table.version != "1.2") return;
  if (table.super_pods.empty()) report(findings, has_pods, pods_path, "");
  check_pod_ids(table.super_pods, pods_path, findings);
  check_super_devices(
      table.servers, pods_of_servers(table, findings),
      [](std::size_t server, std::size_t device) { return path_of(server, device); },
      [&table](const std::string& id) {
        if (!id.empty()) return &device_is_number;
        return table.super_pods.empty() ? nullptr : &device_is_there;
      },
      findings);
}

// A3: whether all super pods have the same size.
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

}  // namespace

void check(const Table& table, const ValidateOptions& options, Findings& findings) {
  const DeviceIndex index = index_of(table);
  check_status(table.status, options, findings);
  check_unknown_fields(table, findings);
  check_servers(table, findings);
  check_super_pods(table, findings);
  check_optional_fields(table, findings);
  check_device_ids(index, findings);
  check_ranks(index, findings);
  check_addresses(index, options, findings);
  check_generations(index, options, findings);
  advise_equal_pods(table, options, findings);
  check_profile(index, options, findings);
}

}  // namespace adarun::ranktable
