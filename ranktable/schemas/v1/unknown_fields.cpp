// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/unknown_fields.h"

#include "ranktable/schemas/v1/check.h"

namespace adarun::ranktable {
namespace {

constexpr KnownFields root_fields{{"version", "status", "server_count", "server_list", "super_pod_list"},
                                  {"super_pod_num", "deploy_mode"}};
constexpr KnownFields server_fields{{"server_id", "device", "host_nic_ip"}, node_fields};
constexpr KnownFields device_fields{{"device_id", "device_ip", "rank_id"}, card_fields};
constexpr KnownFields pod_fields{{"super_pod_id", "server_list"}};
constexpr KnownFields member_fields{{"server_id"}};

}  // namespace

void check_unknown_fields(const Table& table, Findings& findings) {
  UnknownFields unknown(findings);
  unknown.check(table.extras, root_fields, root_path);
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    unknown.check(table.servers[i].extras, server_fields, [i] { return path_of(i); });
    const std::vector<Device>& devices = table.servers[i].devices;
    for (std::size_t j = 0; j < devices.size(); ++j)
      unknown.check(devices[j].extras, device_fields, [i, j] { return path_of(i, j); });
  }
  for (std::size_t i = 0; i < table.super_pods.size(); ++i) {
    const SuperPod& pod = table.super_pods[i];
    const auto path = path_of_item(root_path, "super_pod_list", i);
    unknown.check(pod.extras, pod_fields, path);
    for (std::size_t j = 0; j < pod.servers.size(); ++j)
      unknown.check(pod.servers[j].extras, member_fields, path_of_item(path, "server_list", j));
  }
}

}  // namespace adarun::ranktable
