// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ranktable/schemas/rank_list/table.h"

namespace adarun::ranktable {

/// The meaning of the layers of a 2.0 table, as Ascend's own generators fill them. An instance of layer 0 is
/// a server, one of layer 1 a super pod; layer 3 connects all cards by the addresses that 1.x calls
/// device_ip.
inline constexpr int server_layer = 0;
inline constexpr int super_pod_layer = 1;
inline constexpr int cluster_layer = 3;

/// The defaults that a conversion writes for fields that only 2.0 has: the single instance of layer 3, the
/// net_type of layer 0 and of those above, the plane and the port of an address.
inline constexpr const char* cluster_instance = "CLUSTER";
inline constexpr const char* server_net_type = "TOPO_FILE_DESC";
inline constexpr const char* upper_net_type = "CLOS";
inline constexpr const char* default_plane = "CLUSTER";
inline constexpr const char* default_port = "0/0";

/// The layer with that number; nullptr if the rank is not on it.
const NetLayer* find_layer(const RankEntry& rank, int net_layer);

/// The id of the rank's server; `path` is the rank's path, for the message. Throws Error if there is no layer
/// 0.
const std::string& server_id_of(const RankEntry& rank, const std::string& path);

/// The address used as device_ip: the first IPv4 or IPv6 address on the highest layer that has one; nullptr
/// if there is none. EIDs cannot be used.
const RankAddress* ip_address(const RankEntry& rank);

/// Whether layer 1 describes super pods: every rank is on it, and all ranks of a server are in one instance.
bool has_super_pods(const RankListTable& table);

}  // namespace adarun::ranktable
