// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

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
