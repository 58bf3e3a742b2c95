// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ranktable/json/fields.h"
#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"
#include "ranktable/rules/unknown_fields.h"
#include "ranktable/schemas/base/port.h"
#include "ranktable/schemas/base/super_pods.h"
#include "ranktable/schemas/server_group/schema.h"

namespace adarun::ranktable {
namespace {

GroupDevice read_device(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  GroupDevice device;
  device.device_id = fields.number_text("device_id");
  device.device_ip = fields.optional_text("device_ip");
  device.rank_id = fields.number_text("rank_id");
  if (fields.has("device_logical_id")) device.logical_id = fields.number_text("device_logical_id");
  device.super_device_id = fields.optional_text("super_device_id");
  device.extras = fields.extras();
  return device;
}

GroupServer read_server(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  GroupServer server;
  server.server_id = fields.optional_text("server_id");
  server.server_ip = fields.optional_text("server_ip");
  server.container_ip = fields.optional_text("container_ip");
  server.devices = fields.optional_list("device", read_device);
  server.extras = fields.extras();
  return server;
}

ServerGroup read_group(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  ServerGroup group;
  group.group_id = fields.text("group_id");
  group.deploy_server = fields.optional_text("deploy_server");
  group.servers = fields.list("server_list", read_server);
  group.wrong_server_count = fields.wrong_count_text("server_count", group.servers.size());
  group.super_pods = read_super_pods(fields);
  group.extras = fields.extras();
  return group;
}

}  // namespace

bool is_server_group(JsonValue root) {
  return root.member("server_group_list").has_value();
}

ServerGroupTable parse_server_group(JsonValue root, Findings& findings) {
  const Path path;
  JsonFields fields(root, path, findings);
  ServerGroupTable table;
  table.version = fields.optional_text("version");
  table.status = fields.optional_text("status");
  table.groups = fields.list("server_group_list", read_group);
  table.extras = fields.extras();
  return table;
}

namespace {

void write_if_there(JsonWriter& out, std::string_view key, const std::string& text) {
  if (!text.empty()) out.text(key, text);
}

void write_device(JsonWriter& out, const GroupDevice& device) {
  out.object([&] {
    out.number_text("device_id", device.device_id);
    out.text("device_ip", device.device_ip);
    if (device.logical_id) out.number_text("device_logical_id", *device.logical_id);
    write_if_there(out, "super_device_id", device.super_device_id);
    out.number_text("rank_id", device.rank_id);
    out.extras(device.extras);
  });
}

// MindIE takes a server for one of its own by the absence of "device".
void write_server(JsonWriter& out, const GroupServer& server) {
  out.object([&] {
    write_if_there(out, "server_id", server.server_id);
    write_if_there(out, "server_ip", server.server_ip);
    write_if_there(out, "container_ip", server.container_ip);
    if (!server.devices.empty()) out.list("device", server.devices, write_device);
    out.extras(server.extras);
  });
}

void write_group(JsonWriter& out, const ServerGroup& group) {
  out.object([&] {
    out.text("group_id", group.group_id);
    write_if_there(out, "deploy_server", group.deploy_server);
    out.number_text("server_count", static_cast<std::int64_t>(group.servers.size()));
    out.list("server_list", group.servers, write_server);
    write_super_pods(out, group.super_pods);
    out.extras(group.extras);
  });
}

}  // namespace

void write_table(JsonWriter& out, const ServerGroupTable& table) {
  out.object([&] {
    write_if_there(out, "version", table.version);
    write_if_there(out, "status", table.status);
    out.list("server_group_list", table.groups, write_group);
    out.extras(table.extras);
  });
}

namespace {

constexpr KnownFields root_fields{{"version", "status", "server_group_list"}};
constexpr KnownFields group_fields{
    {"group_id", "deploy_server", "server_count", "server_list", "super_pod_list"}, {"version", "status"}};
// The ports are MindIE's.
constexpr KnownFields server_fields{{"server_id", "server_ip", "container_ip", "device", "predict_port",
                                     "mgmt_port", "metric_port", "inter_comm_port", "super_pod_id"},
                                    node_fields};
constexpr KnownFields device_fields{
    {"device_id", "device_ip", "device_logical_id", "super_device_id", "rank_id"}, card_fields};
constexpr KnownFields pod_fields{{"super_pod_id", "server_list"}};
constexpr KnownFields member_fields{{"server_id"}};

}  // namespace

void check_unknown_fields(const ServerGroupTable& table, Findings& findings) {
  UnknownFields unknown(findings);
  unknown.check(table.extras, root_fields, root_path);
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const ServerGroup& group = table.groups[i];
    const auto path = path_of_item(root_path, "server_group_list", i);
    unknown.check(group.extras, group_fields, path);
    for (std::size_t j = 0; j < group.servers.size(); ++j) {
      const GroupServer& server = group.servers[j];
      const auto server_path = path_of_item(path, "server_list", j);
      unknown.check(server.extras, server_fields, server_path);
      for (std::size_t k = 0; k < server.devices.size(); ++k)
        unknown.check(server.devices[k].extras, device_fields, path_of_item(server_path, "device", k));
    }
    for (std::size_t j = 0; j < group.super_pods.size(); ++j) {
      const SuperPod& pod = group.super_pods[j];
      const auto pod_path = path_of_item(path, "super_pod_list", j);
      unknown.check(pod.extras, pod_fields, pod_path);
      for (std::size_t k = 0; k < pod.servers.size(); ++k)
        unknown.check(pod.servers[k].extras, member_fields, path_of_item(pod_path, "server_list", k));
    }
  }
}

namespace {

void add_device(std::vector<Fact>& facts, const std::string& path, const GroupDevice& device, int place) {
  if (device.logical_id && *device.logical_id != place)
    facts.push_back(
        {Topic::v1_field, path + ".device_logical_id", in_quotes(std::to_string(*device.logical_id))});
  if (!device.super_device_id.empty())
    facts.push_back({Topic::v1_2_field, path + ".super_device_id", in_quotes(device.super_device_id)});
  for (const Extra& field : device.extras)
    facts.push_back(
        {port_of(field) ? Topic::port : Topic::v1_field, path + member_step(field.name), field.json});
}

// That of a server as `convert` makes it, where it has none.
const std::string& container_ip_of(const GroupServer& server) {
  return server.container_ip.empty() ? server.server_ip : server.container_ip;
}

// Servers by their ids; the other schemas have one entry for each.
using FirstEntries = std::unordered_map<std::string_view, const GroupServer*>;

// What a second entry of a server has otherwise than the first is this schema's own.
void add_server_fields(std::vector<Fact>& facts, const std::string& path, const GroupServer& server,
                       FirstEntries& entries) {
  const auto [first, is_added] = entries.emplace(server.server_id, &server);
  const bool is_new = is_added;
  const auto add_address = [&](const char* name, const std::string& text, const std::string& usual) {
    if (!text.empty() && text != usual)
      facts.push_back({is_new ? Topic::v1_field : Topic::own, path + "." + name, in_quotes(text)});
  };
  const GroupServer& other = *first->second;
  add_address("server_ip", server.server_ip, is_new ? server.server_id : other.server_ip);
  add_address("container_ip", server.container_ip, is_new ? server.server_ip : container_ip_of(other));
  if (is_new || server.extras != other.extras)
    for (const Extra& field : server.extras)
      facts.push_back({is_new && field.name != "host_nic_ip" ? Topic::v1_field : Topic::own,
                       path + member_step(field.name), field.json});
}

void add_server(std::vector<Fact>& facts, const std::string& path, const GroupServer& server,
                FirstEntries& entries) {
  if (server.devices.empty()) {
    add_unless(facts, path + ".server_id", server.server_id, "");
    add_unless(facts, path + ".server_ip", server.server_ip, "");
    add_unless(facts, path + ".container_ip", server.container_ip, "");
    return add_facts(facts, Topic::own, path, server.extras);
  }
  add_server_fields(facts, path, server, entries);
  for (std::size_t i = 0; i < server.devices.size(); ++i)
    add_device(facts, item_path(path + ".device", i), server.devices[i], static_cast<int>(i));
}

// Whether `router` has nothing but what `convert` gives it on this server.
bool is_as_made(const GroupServer& router, const GroupServer& server) {
  return router.extras.empty() && router.server_ip == server.server_ip &&
         (router.server_id.empty() || router.server_id == server.server_id) &&
         (router.container_ip.empty() || router.container_ip == container_ip_of(server));
}

// Whether it is the router as `convert` makes it: on the first server with devices.
bool is_usual_router(const ServerGroupTable& table, const ServerGroup& group) {
  if (&group != &table.groups.front() || group.group_id != "0" || group.servers.size() != 1) return false;
  for (const ServerGroup& other : table.groups)
    for (const GroupServer& server : other.servers)
      if (!server.devices.empty()) return is_as_made(group.servers[0], server);
  return false;
}

using Extras = std::vector<Extra>;

// Pods of one id become one, which has the fields of the first, as its members have.
class JoinedPods {
 public:
  void add(std::vector<Fact>& facts, const std::string& path, const std::vector<SuperPod>& pods) {
    add_super_pod_facts(facts, path, pods);
    for (std::size_t i = 0; i < pods.size(); ++i) {
      const std::string at = item_path(path + ".super_pod_list", i);
      for (std::size_t j = 0; j < pods[i].servers.size(); ++j) {
        const SuperPodMember& member = pods[i].servers[j];
        const auto first =
            members_.emplace(std::pair(pods[i].super_pod_id, member.server_id), &member.extras);
        add_others(facts, item_path(at + ".server_list", j), *first.first->second, member.extras);
      }
      add_others(facts, at, *pods_.emplace(pods[i].super_pod_id, &pods[i].extras).first->second,
                 pods[i].extras);
    }
  }

 private:
  static void add_others(std::vector<Fact>& facts, const std::string& path, const Extras& first,
                         const Extras& fields) {
    if (&first != &fields && first != fields) add_facts(facts, Topic::own, path, fields);
  }

  std::map<std::string, const Extras*> pods_;
  std::map<std::pair<std::string, std::string>, const Extras*> members_;
};

}  // namespace

std::vector<Fact> facts_of(const ServerGroupTable& table) {
  std::vector<Fact> facts;
  FirstEntries entries;
  JoinedPods pods;
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const ServerGroup& group = table.groups[i];
    const std::string path = item_path("$.server_group_list", i);
    if (device_count(group) > 0 || !is_usual_router(table, group)) {
      add_unless(facts, path + ".group_id", group.group_id, sole_group_id);
      for (std::size_t j = 0; j < group.servers.size(); ++j)
        add_server(facts, item_path(path + ".server_list", j), group.servers[j], entries);
    }
    add_unless(facts, path + ".deploy_server", group.deploy_server, "");
    pods.add(facts, path, group.super_pods);
    add_facts(facts, Topic::own, path, group.extras);
  }
  add_facts(facts, Topic::own, "$", table.extras);
  return facts;
}

}  // namespace adarun::ranktable
