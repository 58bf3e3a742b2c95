// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ranktable/model/fields.h"

namespace adarun::ranktable {

/// The host_nic_ip that the reference generator writes, and adarun where one is required.
inline constexpr const char* reserved_host_nic_ip = "reserve";

/// A field that adarun's rules do not need (host_ip, container_ip, ...): kept unchanged and written back
/// after the fields of the schema.
struct Extra {
  std::string name;
  std::string json;  ///< The value as JSON text, compact; "\"10.0.0.1\"" for a string.

  bool operator==(const Extra&) const = default;
};

/// The field of that name; nullptr if there is none.
const Extra* find_field(const std::vector<Extra>& fields, std::string_view name);

/// One card (NPU), or one slot of a node without NPUs.
struct Device {
  int device_id = 0;      ///< Physical id, unique in its server.
  std::string device_ip;  ///< IPv4 or IPv6 address of the card; empty in a plain table.
  int rank_id = 0;        ///< Unique in the table, contiguous from 0.
  /// A3 (version 1.2): decimal u32, unique in its super pod; empty: absent.
  std::string super_device_id = {};
  std::vector<Extra> extras = {};

  void fields(auto& archive) {
    archive.number_text("device_id", device_id);
    archive.text("device_ip", device_ip, Presence::optional);
    archive.text("super_device_id", super_device_id, Presence::version_1_2);
    archive.number_text("rank_id", rank_id);
    list_other_card_fields(archive);
  }

  bool operator==(const Device&) const = default;
};

/// One node, with its devices in the order of the file.
struct Server {
  std::string server_id;    ///< Unique in the table; usually the node's address.
  std::string host_nic_ip;  ///< "reserve" in the reference generator's output; empty: absent.
  std::vector<Device> devices;
  std::vector<Extra> extras = {};

  void fields(auto& archive) {
    archive.text("server_id", server_id);
    archive.list("device", devices);
    archive.text("host_nic_ip", host_nic_ip, Presence::unless_empty);
    list_other_node_fields(archive);
  }

  bool operator==(const Server&) const = default;
};

/// A server named in a super pod.
struct SuperPodMember {
  std::string server_id;
  std::vector<Extra> extras = {};

  void fields(auto& archive) { archive.text("server_id", server_id); }

  bool operator==(const SuperPodMember&) const = default;
};

/// A3: servers whose devices share one memory fabric.
struct SuperPod {
  std::string super_pod_id;  ///< Unique in the table.
  std::vector<SuperPodMember> servers;
  std::vector<Extra> extras = {};

  void fields(auto& archive) {
    archive.text("super_pod_id", super_pod_id);
    archive.list("server_list", servers);
  }

  bool operator==(const SuperPod&) const = default;
};

/// A rank table of version 1.0 or 1.2: maps each device of each server to a rank. Servers are in the order of
/// the file. The other schemas have their own tables (schemas/); convert.h converts between all of them. The
/// rest of adarun works with this one.
struct Table {
  std::string version = "1.0";
  std::string status = "completed";
  std::vector<Server> servers;
  std::vector<SuperPod> super_pods = {};  ///< Only in version 1.2.
  std::vector<Extra> extras = {};
  /// The server_count in the file if it is not the number of servers; never written.
  std::optional<std::string> wrong_server_count = std::nullopt;

  void fields(auto& archive) {
    archive.text("version", version);
    if (version != "1.2") archive.without_version_1_2();
    archive.read_later([this](auto& later) {
      // Optional in HCCL's guide for A3, required in those for other generations.
      const Presence presence = version == "1.2" ? Presence::optional : Presence::required;
      later.count("server_count", wrong_server_count, servers.size(), presence);
    });
    archive.list("server_list", servers);
    archive.list("super_pod_list", super_pods, Presence::version_1_2);
    archive.text("status", status);
    archive.of_other_tools({"super_pod_num", "deploy_mode", "data_version", "cluster_list", "IsMindIEEPJob"});
  }

  bool operator==(const Table&) const = default;
};

/// The number of devices of all servers: the world size.
std::size_t device_count(const Table& table);

/// The number of servers: its entries.
std::size_t server_count(const Table& table);

/// Whether `fits(device)` for any device of the table.
template <typename Fits>
bool any_device(const Table& table, Fits fits) {
  for (const Server& server : table.servers)
    for (const Device& device : server.devices)
      if (fits(device)) return true;
  return false;
}

/// Whether no device has an address: a table for nodes without NPUs. False if there are no devices.
bool is_plain(const Table& table);

/// One rank and where it runs.
struct Row {
  int rank = 0;
  std::size_t node = 0;  ///< Position of its server in the table, from 0.
  std::string server_id;
  std::size_t local_rank = 0;  ///< Position among the ranks of its server, from 0.
  int device_id = 0;
  std::string device_ip;
  std::string super_pod_id;     ///< Empty: the server is in no super pod.
  std::string super_device_id;  ///< Empty: the device has none.

  bool operator==(const Row&) const = default;
};

/// One row for each device, sorted by rank.
std::vector<Row> rows(const Table& table);

}  // namespace adarun::ranktable
