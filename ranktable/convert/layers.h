// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ranktable/schema/rank_list.h"

namespace adarun::ranktable {

/// What the layers of a 2.0 table stand for, as Ascend's own generators fill them. An instance of layer 0 is
/// a server, one of layer 1 a super pod; layer 3 joins all cards by the addresses that 1.x calls device_ip.
inline constexpr int server_layer = 0;
inline constexpr int super_pod_layer = 1;
inline constexpr int cluster_layer = 3;

/// The layer of that number; nullptr where the rank is not on it.
const NetLayer* find_layer(const RankEntry& rank, int net_layer);

/// The id of the server that the rank is on; `path` is the rank's, for the message. Throws Error where there
/// is no layer 0.
const std::string& server_id_of(const RankEntry& rank, const std::string& path);

/// The address that can stand as device_ip: the first of IPv4 or IPv6 on the highest layer that has one;
/// nullptr where there is none. EIDs cannot.
const RankAddress* ip_address(const RankEntry& rank);

/// Whether layer 1 can be read as super pods: every rank is on it, and all ranks of a server on one instance.
bool has_super_pods(const RankListTable& table);

}  // namespace adarun::ranktable
