// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/rank_list/schema.h"

namespace adarun::ranktable {
namespace {

void write_address(JsonWriter& out, const RankAddress& address) {
  out.object([&] {
    out.text("addr_type", address.addr_type);
    out.text("addr", address.addr);
    out.texts("ports", address.ports);
    if (address.plane_id) out.text("plane_id", *address.plane_id);
    out.extras(address.extras);
  });
}

void write_layer(JsonWriter& out, const NetLayer& layer) {
  out.object([&] {
    out.number("net_layer", layer.net_layer);
    out.text("net_instance_id", layer.net_instance_id);
    if (layer.net_type) out.text("net_type", *layer.net_type);
    if (layer.net_attr) out.text("net_attr", *layer.net_attr);
    out.list("rank_addr_list", layer.addresses, write_address);
    out.extras(layer.extras);
  });
}

void write_rank(JsonWriter& out, const RankEntry& rank) {
  out.object([&] {
    out.number("rank_id", rank.rank_id);
    out.number("local_id", rank.local_id);
    out.number("device_id", rank.device_id);
    if (rank.device_port) out.number("device_port", *rank.device_port);
    if (rank.host_port) out.number("host_port", *rank.host_port);
    out.list("level_list", rank.layers, write_layer);
    out.extras(rank.extras);
  });
}

}  // namespace

void write_table(JsonWriter& out, const RankListTable& table) {
  out.object([&] {
    if (table.status) out.text("status", *table.status);
    out.text("version", "2.0");
    out.number("rank_count", table.ranks.size());
    out.list("rank_list", table.ranks, write_rank);
    out.extras(table.extras);
  });
}

}  // namespace adarun::ranktable
