// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/base/conversion.h"

#include <utility>

#include "ranktable/model/decimal.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/model/table.h"

namespace adarun::ranktable {

void add_facts(std::vector<SchemaField>& facts, FieldKind topic, const std::string& path,
               const std::vector<Extra>& fields) {
  for (const Extra& field : fields) facts.push_back({topic, path + member_step(field.name), field.json});
}

void add_unless(std::vector<SchemaField>& facts, const std::string& path, const std::string& value,
                const std::string& usual) {
  if (value != usual) facts.push_back({FieldKind::own, path, in_quotes(value)});
}

void require_server_ids(const Table& table) {
  for (const Server& server : table.servers) require_server_id(server.server_id);
}

bool TableBuilder::add(const std::string& server_id, Device device) {
  const auto [place, is_new] = places_.emplace(server_id, table_.servers.size());
  if (is_new) table_.servers.push_back({server_id, "", {}});
  table_.servers[place->second].devices.push_back(std::move(device));
  return is_new;
}

KeptDevices::KeptDevices(const Table& ranks, const std::vector<std::string>& server_ids,
                         const std::vector<int>& device_ids)
    : servers_(server_ids.begin(), server_ids.end()), devices_(device_ids.begin(), device_ids.end()) {
  int next_rank = 0;
  for (const Row& row : rows(ranks))
    if (has(row.server_id, row.device_id)) new_ranks_.emplace(row.rank, next_rank++);
}

bool KeptDevices::has(const std::string& server_id) const {
  return servers_.empty() || servers_.count(server_id) != 0;
}

bool KeptDevices::has(const std::string& server_id, int device_id) const {
  return has(server_id) && (devices_.empty() || devices_.count(device_id) != 0);
}

namespace {

constexpr int last_port = 65535;

}  // namespace

std::optional<int> port_of(const Extra& field) {
  if (field.name != "device_port" && field.name != "host_port") return std::nullopt;
  const std::string_view json = field.json;
  if (json.size() < 2 || json.front() != '"') return std::nullopt;
  const std::optional<int> port = parse_decimal(json.substr(1, json.size() - 2));
  return port && *port >= 1 && *port <= last_port ? port : std::nullopt;
}

std::optional<int> find_port(const Device& device, std::string_view name) {
  for (const Extra& field : device.extras)
    if (field.name == name) return port_of(field);
  return std::nullopt;
}

Extra port_field(std::string_view name, int port) {
  return {std::string(name), "\"" + std::to_string(port) + "\""};
}

}  // namespace adarun::ranktable
