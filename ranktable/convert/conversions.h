// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace adarun::ranktable
