// SPDX-License-Identifier: Apache-2.0
#include "ranktable/any_table.h"

#include <string>
#include <unordered_set>

namespace adarun::ranktable {
namespace {

using Ids = std::unordered_set<std::string_view>;

struct CountDevices {
  std::size_t operator()(const Table& table) const { return device_count(table); }
  std::size_t operator()(const CloudTable& table) const {
    std::size_t count = 0;
    for (const CloudGroup& group : table.groups)
      for (const CloudInstance& instance : group.instances) count += instance.devices.size();
    return count;
  }
  std::size_t operator()(const LabTable& table) const {
    std::size_t count = 0;
    for (const LabGroup& group : table.groups) count += group.instances.size();
    return count;
  }
  std::size_t operator()(const RankListTable& table) const { return table.ranks.size(); }
};

struct CountServers {
  std::size_t operator()(const Table& table) const { return table.servers.size(); }
  std::size_t operator()(const RankListTable& table) const {
    Ids ids;
    for (const RankEntry& rank : table.ranks)
      for (const NetLayer& layer : rank.layers)
        if (layer.net_layer == 0) ids.insert(layer.net_instance_id);
    return ids.size();
  }
  template <typename Grouped>
  std::size_t operator()(const Grouped& table) const {
    Ids ids;
    for (const auto& group : table.groups)
      for (const auto& instance : group.instances) ids.insert(instance.server_id);
    return ids.size();
  }
};

}  // namespace

std::string_view name(Schema schema) {
  switch (schema) {
    case Schema::v1_0:
      return "1.0";
    case Schema::v1_2:
      return "1.2";
    case Schema::v2_0:
      return "2.0";
    case Schema::cloud:
      return "cloud";
    case Schema::lab:
      return "lab";
  }
  return "";
}

Schema schema_of(const AnyTable& table) {
  if (const auto* v1 = std::get_if<Table>(&table)) return v1->version == "1.2" ? Schema::v1_2 : Schema::v1_0;
  if (std::holds_alternative<CloudTable>(table)) return Schema::cloud;
  return std::holds_alternative<LabTable>(table) ? Schema::lab : Schema::v2_0;
}

std::size_t device_count(const AnyTable& table) {
  return std::visit(CountDevices{}, table);
}

std::size_t server_count(const AnyTable& table) {
  return std::visit(CountServers{}, table);
}

}  // namespace adarun::ranktable
