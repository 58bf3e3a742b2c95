// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"
#include "ranktable/schemas/base/fact.h"
#include "ranktable/schemas/base/port.h"
#include "ranktable/schemas/base/super_pods.h"
#include "ranktable/schemas/v1/schema.h"

namespace adarun::ranktable {
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
