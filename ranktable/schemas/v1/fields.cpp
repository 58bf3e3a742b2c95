// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/fields.h"
#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"
#include "ranktable/rules/unknown_fields.h"
#include "ranktable/schemas/base/fact.h"
#include "ranktable/schemas/base/port.h"
#include "ranktable/schemas/base/super_pods.h"
#include "ranktable/schemas/v1/check.h"
#include "ranktable/schemas/v1/schema.h"

namespace adarun::ranktable {
namespace {

template <bool with_super_pods>
Device read_device(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  Device device;
  device.device_id = fields.number_text("device_id");
  device.device_ip = fields.optional_text("device_ip");
  if (with_super_pods) device.super_device_id = fields.optional_text("super_device_id");
  device.rank_id = fields.number_text("rank_id");
  device.extras = fields.extras();
  return device;
}

template <bool with_super_pods>
Server read_server(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  Server server;
  server.server_id = fields.text("server_id");
  server.devices = fields.list("device", read_device<with_super_pods>);
  server.host_nic_ip = fields.optional_text("host_nic_ip");
  server.extras = fields.extras();
  return server;
}

// A server_group table may have the same versions.
bool has_version(JsonValue root, std::string_view wanted) {
  const std::optional<JsonValue> version = root.member("version");
  return version && version->is_text(wanted) && !root.member("server_group_list");
}

}  // namespace

bool is_v1_0(JsonValue root) {
  return has_version(root, "1.0");
}

bool is_v1_2(JsonValue root) {
  return has_version(root, "1.2");
}

Table parse_v1(JsonValue root, Findings& findings) {
  const Path path;
  JsonFields fields(root, path, findings);
  Table table;
  table.version = fields.text("version");
  const bool with_super_pods = table.version == "1.2";
  table.servers = fields.list("server_list", with_super_pods ? read_server<true> : read_server<false>);
  // Optional in HCCL's guide for A3, required in those for other generations.
  if (!with_super_pods || fields.has("server_count"))
    table.wrong_server_count = fields.wrong_count_text("server_count", table.servers.size());
  if (with_super_pods) table.super_pods = read_super_pods(fields);
  table.status = fields.text("status");
  table.extras = fields.extras();
  return table;
}

namespace {

void write_device(JsonWriter& out, const Device& device) {
  out.object([&] {
    out.number_text("device_id", device.device_id);
    out.text("device_ip", device.device_ip);
    if (!device.super_device_id.empty()) out.text("super_device_id", device.super_device_id);
    out.number_text("rank_id", device.rank_id);
    out.extras(device.extras);
  });
}

void write_server(JsonWriter& out, const Server& server) {
  out.object([&] {
    out.text("server_id", server.server_id);
    out.list("device", server.devices, write_device);
    if (!server.host_nic_ip.empty()) out.text("host_nic_ip", server.host_nic_ip);
    out.extras(server.extras);
  });
}

}  // namespace

void write_table(JsonWriter& out, const Table& table) {
  out.object([&] {
    out.text("version", table.version);
    out.number_text("server_count", table.servers.size());
    out.list("server_list", table.servers, write_server);
    write_super_pods(out, table.super_pods);
    out.text("status", table.status);
    out.extras(table.extras);
  });
}

namespace {

constexpr KnownFields root_fields{{"version", "status", "server_count", "server_list", "super_pod_list"},
                                  {"super_pod_num", "deploy_mode"}};
constexpr KnownFields server_fields{{"server_id", "device", "host_nic_ip"}, node_fields};
constexpr KnownFields device_fields{{"device_id", "device_ip", "rank_id"}, card_fields};
constexpr KnownFields pod_fields{{"super_pod_id", "server_list"}};
constexpr KnownFields member_fields{{"server_id"}};

}  // namespace

void check_unknown_fields(const Table& table, Findings& findings) {
  UnknownFields unknown(findings);
  unknown.check(table.extras, root_fields, root_path);
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    unknown.check(table.servers[i].extras, server_fields, [i] { return path_of(i); });
    const std::vector<Device>& devices = table.servers[i].devices;
    for (std::size_t j = 0; j < devices.size(); ++j)
      unknown.check(devices[j].extras, device_fields, [i, j] { return path_of(i, j); });
  }
  for (std::size_t i = 0; i < table.super_pods.size(); ++i) {
    const SuperPod& pod = table.super_pods[i];
    const auto path = path_of_item(root_path, "super_pod_list", i);
    unknown.check(pod.extras, pod_fields, path);
    for (std::size_t j = 0; j < pod.servers.size(); ++j)
      unknown.check(pod.servers[j].extras, member_fields, path_of_item(path, "server_list", j));
  }
}

namespace {

void add_device(std::vector<Fact>& facts, const std::string& path, const Device& device) {
  if (!device.super_device_id.empty())
    facts.push_back({Topic::v1_2_field, path + ".super_device_id", in_quotes(device.super_device_id)});
  for (const Extra& field : device.extras)
    facts.push_back(
        {port_of(field) ? Topic::port : Topic::v1_field, path + member_step(field.name), field.json});
}

void add_server(std::vector<Fact>& facts, const std::string& path, const Server& server) {
  for (std::size_t i = 0; i < server.devices.size(); ++i)
    add_device(facts, item_path(path + ".device", i), server.devices[i]);
  if (!server.host_nic_ip.empty() && server.host_nic_ip != reserved_host_nic_ip)
    facts.push_back({Topic::v1_field, path + ".host_nic_ip", in_quotes(server.host_nic_ip)});
  add_facts(facts, Topic::v1_field, path, server.extras);
}

}  // namespace

std::vector<Fact> facts_of(const Table& table) {
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < table.servers.size(); ++i)
    add_server(facts, item_path("$.server_list", i), table.servers[i]);
  add_super_pod_facts(facts, "$", table.super_pods);
  add_facts(facts, Topic::v1_field, "$", table.extras);
  return facts;
}

}  // namespace adarun::ranktable
