// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ranktable/any_table.h"

namespace adarun::ranktable {

/// One device of a table of any schema, as the rules see it. Borrows from the table.
struct Entry {
  std::uint32_t server = 0;  ///< The same for the devices of one server.
  int device_id = 0;
  int rank_id = -1;  ///< Below 0: unreadable, or there is none (cloud).
  std::string_view device_ip;
  /// Where it is: server and device; group, instance and device; or its number in the rank_list.
  std::array<std::uint32_t, 3> place{};
};

/// All devices of a table in the order of the file. Paths are made only where something is to be said of one:
/// a table may have 65,536 of them.
struct Roster {
  Schema schema = Schema::v1_0;
  std::vector<Entry> entries;
  std::uint32_t servers = 0;

  bool has_servers() const { return schema != Schema::v2_0; }

  /// "$.server_list[0].device[1]"; of a field of it, if one is named.
  std::string path(const Entry& entry, std::string_view field = {}) const;
  std::string rank_path(const Entry& entry) const;

  /// The list that the device is in: "$.server_list[0].device".
  std::string list_path(const Entry& entry) const;

  /// The list that holds everything: "$.server_list".
  std::string root_path() const;

  /// A rank_id or device_id as the schema writes it: "7" in quotes, or bare in 2.0.
  std::string shown(int id) const;
};

/// Servers are told apart by their place in a Table, and by server_id in cloud and lab tables. Those of a 2.0
/// table are not looked for: its entries have server 0.
Roster roster_of(const Table& table);
Roster roster_of(const CloudTable& table);
Roster roster_of(const LabTable& table);
Roster roster_of(const RankListTable& table);

/// Whether no device has an address. False where there is no device, and for 2.0.
bool is_plain(const Roster& roster);

}  // namespace adarun::ranktable
