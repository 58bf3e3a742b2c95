// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/base/conversion.h"

#include <utility>

#include "ranktable/model/decimal.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/model/table.h"

namespace adarun::ranktable {
namespace {

constexpr int last_port = 65535;

std::optional<int> port_of(const Extra& field) {
  if (field.name != "device_port" && field.name != "host_port") return std::nullopt;
  const std::string_view json = field.json;
  if (json.size() < 2 || json.front() != '"') return std::nullopt;
  const std::optional<int> port = parse_decimal(json.substr(1, json.size() - 2));
  return port && *port >= 1 && *port <= last_port ? port : std::nullopt;
}

}  // namespace

void add_facts(std::vector<SchemaField>& facts, FieldKind topic, const std::string& path,
               const std::vector<Extra>& fields) {
  for (const Extra& field : fields) facts.push_back({topic, path + member_step(field.name), field.json});
}

void add_device_facts(std::vector<SchemaField>& facts, const std::string& path,
                      const std::string& super_device_id, const std::vector<Extra>& fields) {
  if (!super_device_id.empty())
    facts.push_back({FieldKind::v1_2_field, path + ".super_device_id", in_quotes(super_device_id)});
  for (const Extra& field : fields)
    facts.push_back(
        {port_of(field) ? FieldKind::port : FieldKind::v1_field, path + member_step(field.name), field.json});
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

SuperPod& PodBuilder::of(const std::string& super_pod_id, const std::vector<Extra>& fields) {
  const auto [place, is_new] = places_.emplace(super_pod_id, pods_.size());
  if (is_new) pods_.push_back({super_pod_id, {}, fields});
  return pods_[place->second];
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

std::optional<int> find_port(const Device& device, std::string_view name) {
  const Extra* field = find_field(device.extras, name);
  return field == nullptr ? std::nullopt : port_of(*field);
}

Extra text_field(std::string_view name, const std::string& text) {
  Extra field{std::string(name), {}};
  append_quoted(field.json, text, Malformed::refused);
  return field;
}

}  // namespace adarun::ranktable
