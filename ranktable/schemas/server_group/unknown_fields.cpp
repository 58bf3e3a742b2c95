// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/unknown_fields.h"

#include "ranktable/schemas/server_group/schema.h"

namespace adarun::ranktable {
namespace {

constexpr KnownFields root_fields{{"version", "status", "server_group_list"}};
constexpr KnownFields group_fields{
    {"group_id", "deploy_server", "server_count", "server_list", "super_pod_list"}, {"version", "status"}};
// The ports are MindIE's.
constexpr KnownFields server_fields{{"server_id", "server_ip", "container_ip", "device", "predict_port",
                                     "mgmt_port", "metric_port", "inter_comm_port", "super_pod_id"},
                                    node_fields};
constexpr KnownFields device_fields{
    {"device_id", "device_ip", "device_logical_id", "super_device_id", "rank_id"}, card_fields};
constexpr KnownFields pod_fields{{"super_pod_id", "server_list"}};
constexpr KnownFields member_fields{{"server_id"}};

}  // namespace

void check_unknown_fields(const ServerGroupTable& table, Findings& findings) {
  UnknownFields unknown(findings);
  unknown.check(table.extras, root_fields, root_path);
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const ServerGroup& group = table.groups[i];
    const auto path = path_of_item(root_path, "server_group_list", i);
    unknown.check(group.extras, group_fields, path);
    for (std::size_t j = 0; j < group.servers.size(); ++j) {
      const GroupServer& server = group.servers[j];
      const auto server_path = path_of_item(path, "server_list", j);
      unknown.check(server.extras, server_fields, server_path);
      for (std::size_t k = 0; k < server.devices.size(); ++k)
        unknown.check(server.devices[k].extras, device_fields, path_of_item(server_path, "device", k));
    }
    for (std::size_t j = 0; j < group.super_pods.size(); ++j) {
      const SuperPod& pod = group.super_pods[j];
      const auto pod_path = path_of_item(path, "super_pod_list", j);
      unknown.check(pod.extras, pod_fields, pod_path);
      for (std::size_t k = 0; k < pod.servers.size(); ++k)
        unknown.check(pod.servers[k].extras, member_fields, path_of_item(pod_path, "server_list", k));
    }
  }
}

}  // namespace adarun::ranktable
