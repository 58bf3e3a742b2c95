// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/unknown_fields.h"

#include "ranktable/schemas/rank_list/schema.h"

namespace adarun::ranktable {
namespace {

constexpr KnownFields root_fields{{"version", "status", "rank_count", "rank_list"}, {"detour"}};
constexpr KnownFields rank_fields{
    {"rank_id", "local_id", "device_id", "device_port", "host_port", "level_list", "control_plane"},
    {"replaced_local_id", "server_id", "super_pod_id", "super_device_id", "host_ip", "device_ip",
     "backup_device_ip", "backup_device_port"}};
constexpr KnownFields layer_fields{
    {"net_layer", "net_instance_id", "net_type", "net_attr", "rank_addr_list"}};
constexpr KnownFields address_fields{{"addr_type", "addr", "ports", "plane_id"}};

}  // namespace

void check_unknown_fields(const RankListTable& table, Findings& findings) {
  UnknownFields unknown(findings);
  unknown.check(table.extras, root_fields, root_path);
  for (std::size_t i = 0; i < table.ranks.size(); ++i) {
    const RankEntry& rank = table.ranks[i];
    const auto path = path_of_item(root_path, "rank_list", i);
    unknown.check(rank.extras, rank_fields, path);
    for (std::size_t j = 0; j < rank.layers.size(); ++j) {
      const NetLayer& layer = rank.layers[j];
      const auto layer_path = path_of_item(path, "level_list", j);
      unknown.check(layer.extras, layer_fields, layer_path);
      for (std::size_t k = 0; k < layer.addresses.size(); ++k)
        unknown.check(layer.addresses[k].extras, address_fields,
                      path_of_item(layer_path, "rank_addr_list", k));
    }
  }
}

}  // namespace adarun::ranktable
