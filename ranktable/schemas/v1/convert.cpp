// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ranktable/schemas/base/conversion.h"
#include "ranktable/schemas/v1/schema.h"

namespace adarun::ranktable {
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
  write_table(out, table);
  const std::string text = out.take();
  Findings findings;
  Table read = parse_v1(Document(text).root(), findings);
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
