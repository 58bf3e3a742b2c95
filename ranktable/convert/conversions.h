// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/any_table.h"
#include "ranktable/model.h"
#include "ranktable/schema/cloud.h"
#include "ranktable/schema/lab.h"
#include "ranktable/schema/rank_list.h"

namespace adarun::ranktable {

/// The ranks that HCCL gives a cloud table: over all groups, by server_id in byte order, then by device_id.
/// Pods of one server become one server. Servers and devices in the order of their ranks.
Table from_cloud(const CloudTable& table);

/// The ranks of all groups; servers in the order in which the instances name them first.
Table from_lab(const LabTable& table);

/// Servers are the instances of layer 0, in the order in which the ranks name them first; card addresses are
/// those of `ip_address`; of version 1.2 where it `has_super_pods` (both in layers.h), else 1.0. Throws Error
/// where a rank has no layer 0.
Table from_rank_list(const RankListTable& table);

/// What a conversion writes of its own accord, a line each.
using Additions = std::vector<std::string>;

/// `ranks` as version 1.0 or 1.2. Where 1.2 asks for super pods and there are none, one holds all servers.
Table to_v1(Table ranks, Schema version, Additions& additions);

/// One pod for each server, named after it, all in one group. Throws Error where HCCL would give a device of
/// that table another rank.
CloudTable to_cloud(const Table& ranks, Additions& additions);

/// One group, an instance for each device in the order of `ranks`.
LabTable to_lab(const Table& ranks, Additions& additions);

/// Servers as layer 0, super pods as layer 1, card addresses on layer 3 (layers.h); ranks rising. Throws
/// Error on a device_id above 63, an address that is none, and a server in two super pods.
RankListTable to_rank_list(const Table& ranks, Additions& additions);

}  // namespace adarun::ranktable
