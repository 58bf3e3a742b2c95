// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ranktable/rules/schema_form.h"

namespace adarun::ranktable {

/// One device of a table of any schema, as the rules see it. Borrows from the table.
struct DeviceEntry {
  std::uint32_t server = 0;  ///< The same for the devices of one server.
  int device_id = 0;
  int rank_id = -1;  ///< Below 0: unreadable, or there is none (cloud).
  std::string_view device_ip;
  /// Where it is: its number, and that of what holds it, in each list of SchemaForm::lists.
  std::array<std::uint32_t, 3> place{};
};

/// All devices of a table in the order of the file. Paths are made only where something is to be said of one:
/// a table may have 65,536 of them.
struct DeviceIndex {
  const SchemaForm* form = nullptr;
  std::vector<DeviceEntry> entries;
  std::uint32_t servers = 0;

  /// "$.server_list[0].device[1]"; of a field of it, if one is named.
  std::string path(const DeviceEntry& entry, std::string_view field = {}) const;
  std::string rank_path(const DeviceEntry& entry) const;

  /// The list that the device is in: "$.server_list[0].device".
  std::string list_path(const DeviceEntry& entry) const;

  /// The list that holds everything: "$.server_list".
  std::string root_path() const;

  /// A rank_id or device_id as the schema writes it: "7" in quotes, or bare.
  std::string shown(int id) const;
};

/// Numbers servers by server_id as they come for the first time. Borrows the ids.
class ServerNumbers {
 public:
  std::uint32_t of(std::string_view server_id) { return numbers_.emplace(server_id, count()).first->second; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(numbers_.size()); }

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

/// Whether no device has an address. False where there is no device, and for schemas whose devices have none.
bool is_plain(const DeviceIndex& index);

}  // namespace adarun::ranktable
