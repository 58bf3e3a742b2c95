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

/// A card of a server in a group.
struct GroupDevice {
  int device_id = 0;  ///< Physical id.
  std::string device_ip;
  int rank_id = 0;  ///< Counts through the group, or through its server: see RankOrder.
  std::optional<int> logical_id = std::nullopt;  ///< device_logical_id: the card's number in its container.
  std::string super_device_id = {};              ///< Empty: absent.
  std::vector<Extra> extras = {};

  void fields(auto& archive) {
    archive.number_text("device_id", device_id);
    archive.text("device_ip", device_ip, Presence::optional);
    archive.read_later([this](auto& later) {
      later.number_text("device_logical_id", logical_id);
      later.text("super_device_id", super_device_id, Presence::unless_empty);
    });
    archive.number_text("rank_id", rank_id);
    list_other_card_fields(archive);
  }

  bool operator==(const GroupDevice&) const = default;
};

/// A server of a group, or what runs of the group on it: one server may be in several entries, with other
/// devices in each.
struct GroupServer {
  std::string server_id;  ///< May be empty (absent) where there are no devices.
  std::string server_ip;
  std::string container_ip = {};          ///< Empty: absent.
  std::vector<GroupDevice> devices = {};  ///< Empty: a router, a coordinator or a controller.
  std::vector<Extra> extras = {};

  void fields(auto& archive) {
    archive.text("server_id", server_id, Presence::unless_empty);
    archive.text("server_ip", server_ip, Presence::unless_empty);
    archive.text("container_ip", container_ip, Presence::unless_empty);
    // MindIE takes a server for one of its own by the absence of "device".
    archive.list("device", devices, Presence::unless_empty);
    // The ports are MindIE's.
    archive.of_other_tools(
        {"predict_port", "mgmt_port", "metric_port", "inter_comm_port", "super_pod_id", "deploy_server"});
    list_other_node_fields(archive);
  }

  bool operator==(const GroupServer&) const = default;
};

/// The servers of one role, with ranks of their own.
struct ServerGroup {
  std::string group_id;            ///< A decimal number, unique in the table.
  std::string deploy_server = {};  ///< MindIE's way to spread an instance over servers; empty: absent.
  std::vector<GroupServer> servers;
  std::vector<SuperPod> super_pods = {};
  std::vector<Extra> extras = {};
  std::optional<std::string> wrong_server_count = std::nullopt;  ///< As in the file, if wrong; never written.

  void fields(auto& archive) {
    archive.text("group_id", group_id);
    archive.text("deploy_server", deploy_server, Presence::unless_empty);
    archive.read_later(
        [this](auto& later) { later.count("server_count", wrong_server_count, servers.size()); });
    archive.list("server_list", servers);
    archive.list("super_pod_list", super_pods, Presence::unless_empty);
    archive.of_other_tools({"version", "status"});
  }

  bool operator==(const ServerGroup&) const = default;
};

/// A table with a server_group_list, as programs read it that serve a model by several groups of ranks. HCCL
/// does not read it. All scalars are strings.
struct ServerGroupTable {
  std::string version = "1.0";       ///< Empty: absent.
  std::string status = "completed";  ///< Empty: absent.
  std::vector<ServerGroup> groups;
  std::vector<Extra> extras = {};

  void fields(auto& archive) {
    archive.text("version", version, Presence::unless_empty);
    archive.text("status", status, Presence::unless_empty);
    archive.list("server_group_list", groups);
  }

  bool operator==(const ServerGroupTable&) const = default;
};

/// How the ranks of a group are numbered from 0: through the group, or in each of its servers anew.
enum class RankOrder { group, server };

/// Nothing if they are numbered in neither way.
std::optional<RankOrder> rank_order(const ServerGroup& group);

/// The index of the group with this id. Throws Error if there is none, naming the groups there are, or two,
/// or if it has no devices.
std::size_t group_index(const ServerGroupTable& table, const std::string& group_id);

/// The table with this group alone. Throws Error as `group_index` does.
ServerGroupTable only_group(const ServerGroupTable& table, const std::string& group_id);

/// The ids of groups that have devices in `before` and none in `after`.
std::vector<std::string> emptied_groups(const ServerGroupTable& before, const ServerGroupTable& after);

/// The number of devices in all servers of a group or of the table.
std::size_t device_count(const ServerGroup& group);
std::size_t device_count(const ServerGroupTable& table);

/// The number of distinct servers with devices.
std::size_t server_count(const ServerGroupTable& table);

/// Ranks of a table that become a group of servers.
struct GroupSelection {
  std::string group_id;              ///< A decimal number.
  std::vector<std::uint32_t> ranks;  ///< Ascending, as numbered in the table.
};

/// One rank of the table and its place in a group.
struct GroupRank {
  std::string group_id;
  int rank = 0;  ///< Its number in the group, from 0.
};

/// The places of all ranks, by the ranks that `as_v1` gives them. Throws Error as `as_v1` does.
std::vector<GroupRank> group_ranks_of(const ServerGroupTable& table);

// The functions of every schema: see schemas.h.

/// Whether it has a server_group_list.
bool is_server_group(JsonValue root);

void check(const ServerGroupTable& table, const ValidateOptions& options, Findings& findings);
std::vector<SchemaField> facts_of(const ServerGroupTable& table);

/// Removes also servers and groups left without a device; those that had none stay. Ranks are renumbered in
/// each group, in the way they were.
void keep(ServerGroupTable& table, const KeptDevices& kept);

/// The ranks of all groups one after the other, in the order of the file. Entries of one server become one
/// server; servers without devices are left out. Throws Error on a group whose ranks are numbered in neither
/// way of RankOrder.
Table as_v1(const ServerGroupTable& table);

/// The group_id of the group that `to_server_group` makes: MindIE's of all its servers.
inline constexpr const char* sole_group_id = "2";

/// All servers in one group, and the first of them as router. Throws Error on a server_id that HCCL does not
/// accept, and if the extras of `ranks` hold a field of this schema with a wrong value.
ServerGroupTable to_server_group(const Table& ranks, Additions& additions);

/// Throws Error, which names a rank that is in no group, in two, or not in the table.
void require_each_rank_once(const Table& ranks, const std::vector<GroupSelection>& selections);

/// Whether one of them makes a group of this id.
bool is_selected(const std::vector<GroupSelection>& selections, const std::string& group_id);

/// The groups, by their ids; ranks are renumbered in each. The router is group 0, unless a selection is, or
/// there are groups `without_ranks`, which are taken as they are: the server with the address or name
/// `router`, or, if empty, the first of `ranks`. Throws Error as `require_each_rank_once` and
/// `to_server_group` do, and on a group_id that comes twice.
ServerGroupTable group_ranks(const Table& ranks, std::vector<GroupSelection> selections,
                             const std::string& router, std::vector<ServerGroup> without_ranks = {});

/// The groups of servers without devices, other than those whose id a selection has.
std::vector<ServerGroup> groups_without_devices(const ServerGroupTable& table,
                                                const std::vector<GroupSelection>& selections);

/// The table as facts are looked for when its ranks get new groups: without the groups of `kept`, which stay
/// as they are, and without the ids of groups with devices. Paths are those of the file.
ServerGroupTable without_kept(const ServerGroupTable& table, const std::vector<ServerGroup>& kept);

/// The table with all groups but one emptied, and without its id. Paths are those of the file.
ServerGroupTable without_other_groups(const ServerGroupTable& table, std::size_t group);

/// Adds a line if `as_v1` numbers the ranks of groups otherwise than the file: those of RankOrder::server.
void add_numberings(const ServerGroupTable& table, Additions& additions);

/// Adds the line about the addresses that `group_ranks` gives servers.
void add_addresses_of_groups(Additions& additions);

}  // namespace adarun::ranktable
