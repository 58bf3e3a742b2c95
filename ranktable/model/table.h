// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace adarun::ranktable {

/// What the reference generator writes as host_nic_ip, and so do we where it is asked for.
inline constexpr const char* reserved_host_nic_ip = "reserve";

/// A field that no rule of ours needs (host_ip, container_ip, ...): kept as it came and written back behind
/// the fields of the schema.
struct Extra {
  std::string name;
  std::string json;  ///< The value as JSON text, compact; "\"10.0.0.1\"" for a string.

  bool operator==(const Extra&) const = default;
};

/// One card (NPU), or one slot of a node without NPUs.
struct Device {
  int device_id = 0;      ///< Physical, unique in its server.
  std::string device_ip;  ///< IPv4 or IPv6 of the card; empty in a plain table.
  int rank_id = 0;        ///< Unique in the table, contiguous from 0.
  /// A3 (version 1.2): decimal u32, unique in its super pod; empty: absent.
  std::string super_device_id = {};
  std::vector<Extra> extras = {};

  bool operator==(const Device&) const = default;
};

/// One node, with its devices in the order of the file.
struct Server {
  std::string server_id;    ///< Unique in the table; usually the node's address.
  std::string host_nic_ip;  ///< "reserve" in what the reference generator writes; empty: absent.
  std::vector<Device> devices;
  std::vector<Extra> extras = {};

  bool operator==(const Server&) const = default;
};

/// A server that a super pod names.
struct SuperPodMember {
  std::string server_id;
  std::vector<Extra> extras = {};

  bool operator==(const SuperPodMember&) const = default;
};

/// A3: servers whose devices share one memory fabric.
struct SuperPod {
  std::string super_pod_id;  ///< Unique in the table.
  std::vector<SuperPodMember> servers;
  std::vector<Extra> extras = {};

  bool operator==(const SuperPod&) const = default;
};

/// A rank table of version 1.0 or 1.2: which device of which server is which rank. Servers in the order of
/// the file. The other schemas have tables of their own (schemas/); convert.h leads from each to each, and
/// this one is what the rest of adarun works with.
struct Table {
  std::string version = "1.0";
  std::string status = "completed";
  std::vector<Server> servers;
  std::vector<SuperPod> super_pods = {};  ///< Version 1.2 alone.
  std::vector<Extra> extras = {};
  /// What the file says in server_count, where that is not the number of servers; never written.
  std::optional<std::string> wrong_server_count = std::nullopt;

  bool operator==(const Table&) const = default;
};

/// Devices of all servers: the world size.
std::size_t device_count(const Table& table);

/// Different servers that it names: its entries.
std::size_t server_count(const Table& table);

/// Whether no device has an address: a table for nodes without NPUs. False where there is no device.
bool is_plain(const Table& table);

}  // namespace adarun::ranktable
