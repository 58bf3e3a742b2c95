// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ranktable/model/finding.h"
#include "ranktable/rules/validate_options.h"

namespace adarun::ranktable {

/// Describes a schema to the rules that are common to all schemas.
struct SchemaForm {
  std::string_view name;  ///< "1.0", as users type it.

  /// The lists on the path from the root to a device: "server_list", "device"; empty after the last.
  std::array<std::string_view, 3> lists{};
  std::size_t rank_depth = 0;        ///< How many of them lead to the object that has the rank_id.
  bool ranks_are_of_groups = false;  ///< Whether they count in each group of servers.
  bool has_text_ids = true;          ///< Whether ids are quoted.
  bool has_servers = true;           ///< Whether servers and card addresses are checked.

  int largest_device_id = 0;
  const Rule* device_id_rule = nullptr;  ///< For check_device_ids(), which needs it; nullptr: not called.

  std::string_view schema_path;                ///< The field that identifies the schema: "$.version".
  std::array<bool, 4> generations{};           ///< By Generation: which of them use this schema.
  const Rule* of_other_generations = nullptr;  ///< For others; nullptr: see check_generations.

  std::size_t depth() const {
    return static_cast<std::size_t>(std::find(lists.begin(), lists.end(), "") - lists.begin());
  }
  bool is_of(Generation generation) const { return generations[static_cast<std::size_t>(generation)]; }
};

/// One device of a table of any schema, in the form used by the rules. Borrows from the table.
struct DeviceEntry {
  std::uint32_t server = 0;  ///< Equal for the devices of one server.
  int device_id = 0;
  int rank_id = -1;  ///< Negative: unreadable, or absent (cloud).
  std::string_view device_ip;
  /// Its index, and those of the items that contain it, in each list of SchemaForm::lists.
  std::array<std::uint32_t, 3> place{};
};

/// All devices of a table in the order of the file. Paths are made only for findings, because a table may
/// have 65,536 devices.
struct DeviceIndex {
  const SchemaForm* form = nullptr;
  std::vector<DeviceEntry> entries;
  std::uint32_t servers = 0;
  std::uint32_t super_pods = 0;  ///< Of version 1.2.

  /// "$.server_list[0].device[1]", or the path of a field of it.
  std::string path(const DeviceEntry& entry, std::string_view field = {}) const;
  std::string rank_path(const DeviceEntry& entry) const;

  /// The list that contains the device: "$.server_list[0].device".
  std::string list_path(const DeviceEntry& entry) const;

  /// The outermost list: "$.server_list".
  std::string root_path() const;

  /// A rank_id or device_id as the schema writes it: with or without quotes.
  std::string shown(int id) const;
};

/// Numbers servers by server_id in the order of first occurrence. Borrows the ids.
class ServerNumbers {
 public:
  std::uint32_t of(std::string_view server_id) { return numbers_.emplace(server_id, count()).first->second; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(numbers_.size()); }

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

/// Whether no device has an address. False if there are no devices, and for schemas without device addresses.
bool is_plain(const DeviceIndex& index);

}  // namespace adarun::ranktable
