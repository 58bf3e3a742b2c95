// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"
#include "ranktable/schemas/base/port.h"
#include "ranktable/schemas/base/super_pods.h"
#include "ranktable/schemas/server_group/schema.h"

namespace adarun::ranktable {
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

// Servers by their ids; the other schemas have one entry for each.
using FirstEntries = std::unordered_map<std::string_view, const GroupServer*>;

// What a second entry of a server has otherwise than the first is this schema's own.
void add_server_fields(std::vector<Fact>& facts, const std::string& path, const GroupServer& server,
                       FirstEntries& entries) {
  const auto [first, is_added] = entries.emplace(server.server_id, &server);
  const bool is_new = is_added;
  const auto add_address = [&](const char* name, const std::string& text, const std::string& usual,
                               const std::string& of_first) {
    if (text != usual && (is_new || text != of_first))
      facts.push_back({is_new ? Topic::v1_field : Topic::own, path + "." + name, in_quotes(text)});
  };
  const GroupServer& other = *first->second;
  add_address("server_ip", server.server_ip, server.server_id, other.server_ip);
  if (!server.container_ip.empty())
    add_address("container_ip", server.container_ip, server.server_ip, other.container_ip);
  if (is_new || server.extras != other.extras)
    for (const Extra& field : server.extras)
      facts.push_back({is_new && field.name != "host_nic_ip" ? Topic::v1_field : Topic::own,
                       path + member_step(field.name), field.json});
}

void add_server(std::vector<Fact>& facts, const std::string& path, const GroupServer& server,
                FirstEntries& entries) {
  if (server.devices.empty()) {
    facts.push_back({Topic::own, path + ".server_ip", in_quotes(server.server_ip)});
    return add_facts(facts, Topic::own, path, server.extras);
  }
  add_server_fields(facts, path, server, entries);
  for (std::size_t i = 0; i < server.devices.size(); ++i)
    add_device(facts, item_path(path + ".device", i), server.devices[i], static_cast<int>(i));
}

// Whether it is the router as `convert` makes it: on the first server with devices.
bool is_usual_router(const ServerGroupTable& table, const ServerGroup& group) {
  if (&group != &table.groups.front() || group.group_id != "0" || group.servers.size() != 1) return false;
  for (const ServerGroup& other : table.groups)
    for (const GroupServer& server : other.servers)
      if (!server.devices.empty()) return group.servers[0].server_ip == server.server_ip;
  return false;
}

}  // namespace

std::vector<Fact> facts_of(const ServerGroupTable& table) {
  std::vector<Fact> facts;
  FirstEntries entries;
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const ServerGroup& group = table.groups[i];
    const std::string path = item_path("$.server_group_list", i);
    if (device_count(group) > 0 || !is_usual_router(table, group)) {
      add_unless(facts, path + ".group_id", group.group_id, sole_group_id);
      for (std::size_t j = 0; j < group.servers.size(); ++j)
        add_server(facts, item_path(path + ".server_list", j), group.servers[j], entries);
    }
    add_unless(facts, path + ".deploy_server", group.deploy_server, "");
    add_super_pod_facts(facts, path, group.super_pods);
    add_facts(facts, Topic::own, path, group.extras);
  }
  add_facts(facts, Topic::own, "$", table.extras);
  return facts;
}

}  // namespace adarun::ranktable
