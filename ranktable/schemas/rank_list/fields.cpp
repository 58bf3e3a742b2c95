// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "ranktable/json/fields.h"
#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"
#include "ranktable/rules/unknown_fields.h"
#include "ranktable/schemas/rank_list/layers.h"
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

namespace {

void add_own(std::vector<Fact>& facts, const std::string& path, const std::string& json) {
  facts.push_back({Topic::own, path, json});
}

// The other fields of the address that is kept; it may be on several layers.
void add_details(std::vector<Fact>& facts, const std::string& path, const RankAddress& address) {
  if (address.ports != std::vector<std::string>{default_port} && !address.ports.empty())
    add_own(facts, path + ".ports",
            in_quotes(address.ports.front()) + (address.ports.size() > 1 ? ", ..." : ""));
  if (address.plane_id && *address.plane_id != default_plane)
    add_own(facts, path + ".plane_id", in_quotes(*address.plane_id));
  add_facts(facts, Topic::own, path, address.extras);
}

void add_addresses(std::vector<Fact>& facts, const std::string& path, const NetLayer& layer,
                   const RankAddress* kept) {
  for (std::size_t i = 0; i < layer.addresses.size(); ++i) {
    const RankAddress& address = layer.addresses[i];
    const std::string its_path = item_path(path + ".rank_addr_list", i);
    if (kept != nullptr && address.addr_type == kept->addr_type && address.addr == kept->addr)
      add_details(facts, its_path, address);
    else
      add_own(facts, its_path, address.addr_type + " " + in_quotes(address.addr));
  }
}

void add_instance(std::vector<Fact>& facts, const std::string& path, const NetLayer& layer,
                  bool pods_are_known) {
  if (layer.net_layer == server_layer) return;
  const std::string value = in_quotes(layer.net_instance_id);
  if (layer.net_layer == super_pod_layer && pods_are_known)
    facts.push_back({Topic::super_pod, path + ".net_instance_id", value});
  else if (layer.net_layer != cluster_layer || layer.net_instance_id != cluster_instance)
    add_own(facts, path + ".net_instance_id", value);
}

void add_layer(std::vector<Fact>& facts, const std::string& path, const NetLayer& layer,
               const RankAddress* kept) {
  const char* usual = layer.net_layer == server_layer ? server_net_type : upper_net_type;
  if (layer.net_type && *layer.net_type != usual)
    add_own(facts, path + ".net_type", in_quotes(*layer.net_type));
  if (layer.net_attr && !layer.net_attr->empty())
    add_own(facts, path + ".net_attr", in_quotes(*layer.net_attr));
  add_addresses(facts, path, layer, kept);
  add_facts(facts, Topic::own, path, layer.extras);
}

void add_rank(std::vector<Fact>& facts, const std::string& path, const RankEntry& rank, bool pods_are_known) {
  if (rank.local_id != rank.device_id) add_own(facts, path + ".local_id", std::to_string(rank.local_id));
  if (rank.device_port)
    facts.push_back({Topic::port, path + ".device_port", std::to_string(*rank.device_port)});
  if (rank.host_port) facts.push_back({Topic::port, path + ".host_port", std::to_string(*rank.host_port)});
  const RankAddress* kept = ip_address(rank);
  for (std::size_t i = 0; i < rank.layers.size(); ++i) {
    const std::string layer_path = item_path(path + ".level_list", i);
    add_instance(facts, layer_path, rank.layers[i], pods_are_known);
    add_layer(facts, layer_path, rank.layers[i], kept);
  }
  add_facts(facts, Topic::own, path, rank.extras);
}

}  // namespace

std::vector<Fact> facts_of(const RankListTable& table) {
  const bool pods_are_known = has_super_pods(table);
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < table.ranks.size(); ++i)
    add_rank(facts, item_path("$.rank_list", i), table.ranks[i], pods_are_known);
  add_facts(facts, Topic::own, "$", table.extras);
  return facts;
}

}  // namespace adarun::ranktable
