// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// One node of a plain table.
struct PlainNode {
  std::string server_id;        ///< Name or address, at most 253 characters, as in DNS.
  std::vector<int> device_ids;  ///< One per rank, in the order of the ranks.
};

/// A table for nodes without NPUs: no card addresses, ranks 0, 1, 2, ... over the nodes in the given order.
/// HCCL does not accept it. Throws Error if there are no nodes, on a node without devices, an empty, too long
/// or repeated server_id, and a device_id that is negative or repeated on its node.
Table plain(std::span<const PlainNode> nodes);

}  // namespace adarun::ranktable
