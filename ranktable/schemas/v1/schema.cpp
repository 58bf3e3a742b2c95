// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/v1/schema.h"

#include <algorithm>

#include "ranktable/json/field_reader.h"
#include "ranktable/json/writer.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/table.h"
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
  keep_if(table.servers, [&kept](const Server& server) { return kept.has(server.server_id); });
  for (Server& server : table.servers) {
    keep_if(server.devices,
            [&](const Device& device) { return kept.has(server.server_id, device.device_id); });
    for (Device& device : server.devices) device.rank_id = kept.new_rank(device.rank_id);
  }
  for (SuperPod& pod : table.super_pods)
    keep_if(pod.servers, [&kept](const SuperPodMember& member) { return kept.has(member.server_id); });
  keep_if(table.super_pods, [](const SuperPod& pod) { return !pod.servers.empty(); });
  table.wrong_server_count.reset();
}

namespace {

void add_device(std::vector<SchemaField>& facts, const std::string& path, const Device& device) {
  if (!device.super_device_id.empty())
    facts.push_back({FieldKind::v1_2_field, path + ".super_device_id", in_quotes(device.super_device_id)});
  for (const Extra& field : device.extras)
    facts.push_back(
        {port_of(field) ? FieldKind::port : FieldKind::v1_field, path + member_step(field.name), field.json});
}

void add_server(std::vector<SchemaField>& facts, const std::string& path, const Server& server) {
  for (std::size_t i = 0; i < server.devices.size(); ++i)
    add_device(facts, item_path(path + ".device", i), server.devices[i]);
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

bool has_field(const std::vector<Extra>& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(), [name](const Extra& field) { return field.name == name; });
}

bool passes_on_super_fields(const Table& table) {
  return has_field(table.extras, "super_pod_list") ||
         std::any_of(table.servers.begin(), table.servers.end(), [](const Server& server) {
           return std::any_of(server.devices.begin(), server.devices.end(), [](const Device& device) {
             return has_field(device.extras, "super_device_id");
           });
         });
}

bool lacks_super_device_ids(const Table& table) {
  return std::any_of(table.servers.begin(), table.servers.end(), [](const Server& server) {
    return std::any_of(server.devices.begin(), server.devices.end(),
                       [](const Device& device) { return device.super_device_id.empty(); });
  });
}

void add_super_pod(Table& table, Additions& additions) {
  SuperPod& pod = table.super_pods.emplace_back();
  pod.super_pod_id = sole_super_pod_id;
  for (const Server& server : table.servers) pod.servers.push_back({server.server_id});
  additions.push_back(std::string("$.super_pod_list[0].super_pod_id: \"") + sole_super_pod_id +
                      "\", with all servers: which share a fabric is not known");
}

// 1.2 interprets fields that a 1.0 table only preserves, so they must be parsed and valid.
Table read_again(const Table& table) {
  JsonWriter out(JsonWriter::Format::compact);
  out.record(table);
  const std::string text = out.take();
  Findings findings;
  Table read = FieldReader::read<Table>(Document(text).root(), Path(), findings);
  require_valid(findings, "as a table of version 1.2");
  return read;
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
  const bool has_pods = !table.super_pods.empty() || has_field(table.extras, "super_pod_list");
  if (!has_pods) add_super_pod(table, additions);
  if (passes_on_super_fields(table)) table = read_again(table);
  if (lacks_super_device_ids(table))
    additions.emplace_back(
        "$.server_list[*].device[*].super_device_id: none, though HCCL wants it on A3: npu-smi info -t "
        "spod-info prints it");
  return table;
}

}  // namespace adarun::ranktable
