// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/model.h"

/// What `convert` writes where a schema asks for something that no other schema says.
namespace adarun::ranktable::invented {

inline constexpr const char* group_name = "group0";
inline constexpr const char* host_nic_ip = "reserve";
inline constexpr const char* super_pod_id = "0";

inline constexpr const char* cluster_instance = "CLUSTER";
inline constexpr const char* plane = "CLUSTER";
inline constexpr const char* server_net_type = "TOPO_FILE_DESC";
inline constexpr const char* net_type = "CLOS";
inline constexpr const char* port = "0/0";

/// "eth0", "eth1", ...: one for each device_id of the table, rising.
std::vector<std::string> nic_names(const Table& table);

}  // namespace adarun::ranktable::invented
