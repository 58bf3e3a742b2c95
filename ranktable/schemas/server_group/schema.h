// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"
#include "ranktable/rules/validate_options.h"
#include "ranktable/schemas/base/conversion.h"
#include "ranktable/schemas/server_group/table.h"

namespace adarun::ranktable {

/// Whether the root object of a file has a server_group_list.
bool is_server_group(JsonValue root);

/// Appends all findings about the values of the table, in the order of the rules.
void check(const ServerGroupTable& table, const ValidateOptions& options, Findings& findings);

/// The facts in the table; see SchemaField.
std::vector<SchemaField> facts_of(const ServerGroupTable& table);

/// Removes all other devices, and servers and groups left without any; those that had none stay. Ranks are
/// renumbered in each group, in the way they were.
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
