// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace adarun::ranktable {

/// The fields of one kind of object of a table: its schema's, and those that other tools write there.
struct KnownFields {
  using Names = std::array<std::string_view, 9>;  ///< Empty behind the last.
  Names schema;
  Names others = {};
};

/// What tools write of a node, and of a card, in any schema; HCCL reads some of it in 1.0 and 1.2 alone.
inline constexpr KnownFields::Names of_node{"server_ip",     "host_ip",  "container_ip",
                                            "pod_ip",        "pod_name", "host_name",
                                            "hardware_type", "dpu_ip",   "numa_id"};
inline constexpr KnownFields::Names of_card{"device_logical_id",  "device_port", "host_port",
                                            "backup_device_ip",   "host_ip",     "super_device_id",
                                            "backup_device_port", "dpu_ip",      "numa_id"};

namespace fields_of_v1 {
inline constexpr KnownFields root{{"version", "status", "server_count", "server_list", "super_pod_list"},
                                  {"super_pod_num", "deploy_mode"}};
inline constexpr KnownFields server{{"server_id", "device", "host_nic_ip"}, of_node};
inline constexpr KnownFields device{{"device_id", "device_ip", "rank_id"}, of_card};
inline constexpr KnownFields pod{{"super_pod_id", "server_list"}};
inline constexpr KnownFields member{{"server_id"}};
}  // namespace fields_of_v1

namespace fields_of_cloud {
inline constexpr KnownFields root{{"status", "group_count", "group_list"}, {"board_id", "chip_info"}};
inline constexpr KnownFields group{{"group_name", "instance_count", "device_count", "instance_list"},
                                   {"device_num", "server_num"}};
inline constexpr KnownFields instance{{"pod_name", "server_id", "devices"}, of_node};
inline constexpr KnownFields device{{"device_id", "device_ip"}, of_card};
}  // namespace fields_of_cloud

namespace fields_of_lab {
inline constexpr KnownFields root{{"board_id", "chip_info", "deploy_mode", "group_count", "group_list",
                                   "para_plane_nic_location", "para_plane_nic_name", "para_plane_nic_num",
                                   "status"}};
inline constexpr KnownFields group{
    {"device_num", "server_num", "group_name", "instance_count", "instance_list"}};
inline constexpr KnownFields instance{{"devices", "rank_id", "server_id"}, of_node};
inline constexpr KnownFields device{{"device_id", "device_ip"}, of_card};
}  // namespace fields_of_lab

namespace fields_of_rank_list {
inline constexpr KnownFields root{{"version", "status", "rank_count", "rank_list"}, {"detour"}};
inline constexpr KnownFields rank{
    {"rank_id", "local_id", "device_id", "device_port", "host_port", "level_list", "control_plane"},
    {"replaced_local_id", "server_id", "super_pod_id", "super_device_id", "host_ip", "device_ip",
     "backup_device_ip", "backup_device_port"}};
inline constexpr KnownFields layer{
    {"net_layer", "net_instance_id", "net_type", "net_attr", "rank_addr_list"}};
inline constexpr KnownFields address{{"addr_type", "addr", "ports", "plane_id"}};
}  // namespace fields_of_rank_list

}  // namespace adarun::ranktable
