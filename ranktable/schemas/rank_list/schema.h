// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"
#include "ranktable/rules/validate_options.h"
#include "ranktable/schemas/base/conversion.h"

namespace adarun::ranktable {

/// One address of a rank on one layer of the network.
struct RankAddress {
  std::string addr_type;           ///< EID, IPV4 or IPV6.
  std::string addr;                ///< An EID is 32 hex digits.
  std::vector<std::string> ports;  ///< Ports of the NPU, "die/port": "0/4"; "d2h" on the host's side.
  std::optional<std::string> plane_id = std::nullopt;  ///< Absent: "0".
  std::vector<Extra> extras = {};

  void fields(auto& archive) {
    archive.text("addr_type", addr_type);
    archive.text("addr", addr);
    archive.texts("ports", ports);
    archive.text("plane_id", plane_id);
  }

  bool operator==(const RankAddress&) const = default;
};

/// One layer of the network that a rank is on.
struct NetLayer {
  int net_layer = 0;  ///< 0 to 7, ascending in a rank.
  std::string net_instance_id;
  std::optional<std::string> net_type = std::nullopt;  ///< TOPO_FILE_DESC, CLOS, ...; absent: CLOS.
  std::optional<std::string> net_attr = std::nullopt;
  std::vector<RankAddress> addresses;
  std::vector<Extra> extras = {};

  void fields(auto& archive) {
    archive.number("net_layer", net_layer);
    archive.text("net_instance_id", net_instance_id);
    archive.text("net_type", net_type);
    archive.text("net_attr", net_attr);
    archive.list("rank_addr_list", addresses);
    archive.of_other_tools({"control_plane", "pcie_fallback"});
  }

  bool operator==(const NetLayer&) const = default;
};

struct RankEntry {
  int rank_id = 0;
  int local_id = 0;   ///< 0 to 64, in its server.
  int device_id = 0;  ///< 0 to 64.
  std::optional<int> device_port = std::nullopt;
  std::optional<int> host_port = std::nullopt;
  std::vector<NetLayer> layers;
  std::vector<Extra> extras = {};

  void fields(auto& archive) {
    archive.number("rank_id", rank_id);
    archive.number("local_id", local_id);
    archive.number("device_id", device_id);
    archive.number("device_port", device_port);
    archive.number("host_port", host_port);
    archive.list("level_list", layers);
    archive.of_other_tools({"control_plane", "replaced_local_id", "server_id", "super_pod_id",
                            "super_device_id", "host_ip", "device_ip", "backup_device_ip",
                            "backup_device_port"});
  }

  bool operator==(const RankEntry&) const = default;
};

/// A table of version 2.0 (Ascend 950): a flat list of ranks. Ids and ports are JSON integers.
struct RankListTable {
  std::vector<RankEntry> ranks;
  std::optional<std::string> status = std::nullopt;  ///< In HCCL's guide; its parser does not read it.
  std::vector<Extra> extras = {};
  std::optional<std::int64_t> wrong_rank_count = std::nullopt;  ///< As in Table; never written.

  void fields(auto& archive) {
    archive.text("status", status);
    std::string version = "2.0";
    archive.text("version", version);
    archive.read_later([this](auto& later) { later.count("rank_count", wrong_rank_count, ranks.size()); });
    archive.list("rank_list", ranks);
    archive.of_other_tools({"detour", "server_list", "server_count", "topo_file_path", "task_id"});
  }

  bool operator==(const RankListTable&) const = default;
};

// The functions of every schema: see schemas.h.

/// Whether it has version 2.0.
bool is_rank_list(JsonValue root);

/// The number of devices: its ranks.
std::size_t device_count(const RankListTable& table);

/// The number of servers: distinct instances of layer 0.
std::size_t server_count(const RankListTable& table);

void check(const RankListTable& table, const ValidateOptions& options, Findings& findings);
std::vector<SchemaField> facts_of(const RankListTable& table);
void keep(RankListTable& table, const KeptDevices& kept);

/// The ranks as a Table. Servers are the instances of layer 0, in the order in which ranks first name them;
/// a card's address is the first IPv4 or IPv6 address on the highest layer that has one. Version 1.2 if layer
/// 1 describes super pods (every rank is on it, and all ranks of a server are in one instance), else 1.0.
/// Throws Error if a rank has no layer 0.
Table as_v1(const RankListTable& table);

/// Throws Error on a rank that has addresses but no IP address: other schemas have only IP addresses.
void require_ip_addresses(const RankListTable& table);

/// Servers become layer 0, super pods layer 1; cards with an address are also on layer 3, and have the
/// address on every layer. Ranks are ascending. Throws Error on a device_id above 63, an invalid
/// address, and a server in two super pods.
RankListTable to_rank_list(const Table& ranks, Additions& additions);

}  // namespace adarun::ranktable
