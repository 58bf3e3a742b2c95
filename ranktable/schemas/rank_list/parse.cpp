// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/fields.h"
#include "ranktable/schemas/rank_list/schema.h"

namespace adarun::ranktable {
namespace {

RankAddress read_address(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  RankAddress address;
  address.addr_type = fields.text("addr_type");
  address.addr = fields.text("addr");
  address.ports = fields.texts("ports");
  address.plane_id = fields.text_if_present("plane_id");
  address.extras = fields.extras();
  return address;
}

NetLayer read_layer(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  NetLayer layer;
  layer.net_layer = fields.number("net_layer");
  layer.net_instance_id = fields.text("net_instance_id");
  layer.net_type = fields.text_if_present("net_type");
  layer.net_attr = fields.text_if_present("net_attr");
  layer.addresses = fields.list("rank_addr_list", read_address);
  layer.extras = fields.extras();
  return layer;
}

RankEntry read_rank(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  RankEntry rank;
  rank.rank_id = fields.number("rank_id");
  rank.local_id = fields.number("local_id");
  rank.device_id = fields.number("device_id");
  rank.device_port = fields.number_if_present("device_port");
  rank.host_port = fields.number_if_present("host_port");
  rank.layers = fields.list("level_list", read_layer);
  rank.extras = fields.extras();
  return rank;
}

}  // namespace

bool is_rank_list(JsonValue root) {
  const std::optional<JsonValue> version = root.member("version");
  return version && version->is_text("2.0");
}

RankListTable parse_rank_list(JsonValue root, Findings& findings) {
  const Path path;
  JsonFields fields(root, path, findings);
  RankListTable table;
  fields.text("version");
  table.status = fields.text_if_present("status");
  table.ranks = fields.list("rank_list", read_rank);
  table.wrong_rank_count = fields.wrong_count("rank_count", table.ranks.size());
  table.extras = fields.extras();
  return table;
}

}  // namespace adarun::ranktable
