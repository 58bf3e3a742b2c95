// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ranktable/json/path.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// The known fields of one kind of object: the schema's, and those that other tools write there.
struct KnownFields {
  using Names = std::array<std::string_view, 9>;  ///< Empty after the last name.
  Names schema;
  Names others = {};
};

/// Fields that tools write for a node and for a card, in any schema; HCCL reads some of them, only in 1.0 and
/// 1.2.
inline constexpr KnownFields::Names node_fields{"server_ip",     "host_ip",  "container_ip",
                                                "pod_ip",        "pod_name", "host_name",
                                                "hardware_type", "dpu_ip",   "numa_id"};
inline constexpr KnownFields::Names card_fields{"device_logical_id",  "device_port", "host_port",
                                                "backup_device_ip",   "host_ip",     "super_device_id",
                                                "backup_device_port", "dpu_ip",      "numa_id"};

/// Reports fields that are neither in the schema nor known to be written by other tools. A mistyped name of
/// an optional field (device-ip) would otherwise go unnoticed.
class UnknownFields {
 public:
  explicit UnknownFields(Findings& findings) : findings_(findings) {}

  /// `fields` are the fields of one object that no rule has read. `path()` makes the object's path; called
  /// only for findings, because a table may have 65,536 ranks.
  template <typename MakePath>
  void check(const std::vector<Extra>& fields, const KnownFields& known, MakePath path) {
    for (const Extra& field : fields)
      if (!is_known(field.name, known)) report(field.name, known, path());
  }

 private:
  static bool is_known(const std::string& name, const KnownFields& known);
  void report(const std::string& name, const KnownFields& known, const std::string& path);
  const std::string& suggestion(const std::string& name, const KnownFields& known);

  Findings& findings_;
  std::map<std::pair<const KnownFields*, std::string>, std::string> suggestions_;
};

/// Returns "$".
inline std::string root_path() {
  return "$";
}

/// Returns a function that makes the path of an item in `list` of the object whose path `parent` makes.
template <typename MakePath>
auto path_of_item(MakePath parent, const char* list, std::size_t index) {
  return [=] { return item_path(parent() + "." + list, index); };
}

}  // namespace adarun::ranktable
