// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace adarun::ranktable {

/// One card (NPU), or one slot of a node without NPUs.
struct Device {
  int device_id = 0;      ///< Physical, unique in its server.
  std::string device_ip;  ///< IPv4 or IPv6 of the card; empty in a plain table.
  int rank_id = 0;        ///< Unique in the table, contiguous from 0.

  bool operator==(const Device&) const = default;
};

/// One node, with its devices in the order of the file.
struct Server {
  std::string server_id;    ///< Unique in the table; usually the node's address.
  std::string host_nic_ip;  ///< "reserve" in what the reference generator writes; empty: absent.
  std::vector<Device> devices;

  bool operator==(const Server&) const = default;
};

/// A rank table: which device of which server is which rank. Servers in the order of the file.
struct Table {
  std::string version = "1.0";
  std::string status = "completed";
  std::vector<Server> servers;

  bool operator==(const Table&) const = default;
};

/// Devices of all servers: the world size.
std::size_t device_count(const Table& table);

}  // namespace adarun::ranktable
