// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ranktable/convert/conversions.h"
#include "ranktable/convert/invented.h"
#include "ranktable/parse.h"
#include "ranktable/write.h"

namespace adarun::ranktable {
namespace {

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
  pod.super_pod_id = invented::super_pod_id;
  for (const Server& server : table.servers) pod.servers.push_back({server.server_id});
  additions.push_back(std::string("$.super_pod_list[0].super_pod_id: \"") + invented::super_pod_id +
                      "\", with all servers: which share a fabric is not known");
}

}  // namespace

Table to_v1(Table ranks, Schema version, Additions& additions) {
  ranks.version = name(version);
  ranks.wrong_server_count.reset();
  if (version == Schema::v1_0) {
    drop_super_pods(ranks);
    return ranks;
  }
  const bool has_pods = !ranks.super_pods.empty() || has_field(ranks.extras, "super_pod_list");
  if (!has_pods) add_super_pod(ranks, additions);
  // What a 1.0 table only passes on, 1.2 reads: it must be right there.
  if (passes_on_super_fields(ranks)) ranks = parse(write(ranks), "as a table of version 1.2");
  if (lacks_super_device_ids(ranks))
    additions.emplace_back(
        "$.server_list[*].device[*].super_device_id: none, though HCCL wants it on A3: npu-smi info -t "
        "spod-info prints it");
  return ranks;
}

}  // namespace adarun::ranktable
