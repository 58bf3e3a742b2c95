// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "ranktable/model/table.h"
#include "ranktable/operations/device_range.h"

namespace adarun::ranktable {

/// Whether devices 0-3 and 4-7 of a server form separate rings, as on Ascend 910.
enum class Rings { of_four, none };

/// Which devices of one server become ranks.
struct GenOptions {
  DeviceRange devices = {};          ///< Logical ids.
  std::vector<int> visible_devices;  ///< Entry i: physical id of logical id i; empty: i itself.
  std::string server_id;             ///< The server's address; 1 to 64 characters.
  Rings rings = Rings::of_four;      ///< Ignored for plain tables.
  std::vector<int> listed = {};      ///< Physical ids in rank order, instead of the first two.
};

/// Addresses by physical card id.
using CardAddresses = std::map<int, std::string>;

/// The physical ids of the devices, in rank order: the cards whose addresses `generate` needs. Throws Error
/// if there are too few visible devices or the range spans several rings. The reference accepts a range
/// within four, or all of a server; here "all" is any multiple of eight, at least one. A list may also be one
/// of the eight sets of four that HCCL accepts.
std::vector<int> physical_devices(const GenOptions& options);

/// The table of one server, as the reference generator makes it: ranks from 0, also for [4,8). Throws Error
/// like `physical_devices`, and if a card has no address, an invalid one, one of another family, or that of
/// another card.
Table generate(const GenOptions& options, const CardAddresses& addresses);

/// Same without addresses, for a server without NPUs.
Table generate_plain(const GenOptions& options);

/// The reference's file name, from logical ids, or those of the list: "hccl_4p_0123_10.0.0.2.json". Throws
/// Error if the server_id cannot be part of a file name.
std::string file_name(const GenOptions& options);

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
