// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/roster.h"

#include <algorithm>
#include <unordered_map>

namespace adarun::ranktable {
namespace {

std::uint32_t index(std::size_t number) {
  return static_cast<std::uint32_t>(number);
}

// Numbers servers as they come for the first time.
class ServerNumbers {
 public:
  std::uint32_t of(std::string_view server_id) {
    return numbers_.emplace(server_id, index(numbers_.size())).first->second;
  }
  std::uint32_t count() const { return index(numbers_.size()); }

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

std::string at(const char* list, std::uint32_t place) {
  return list + ("[" + std::to_string(place) + "]");
}

}  // namespace

std::string Roster::list_path(const Entry& entry) const {
  switch (schema) {
    case Schema::v1_0:
    case Schema::v1_2:
      return at("$.server_list", entry.place[0]) + ".device";
    case Schema::cloud:
    case Schema::lab:
      return at("$.group_list", entry.place[0]) + at(".instance_list", entry.place[1]) + ".devices";
    case Schema::v2_0:
      break;
  }
  return "$.rank_list";
}

std::string Roster::path(const Entry& entry, std::string_view field) const {
  const bool grouped = schema == Schema::cloud || schema == Schema::lab;
  const std::uint32_t place = entry.place[has_servers() ? (grouped ? 2 : 1) : 0];
  std::string text = list_path(entry) + at("", place);
  if (!field.empty()) text.append(".").append(field);
  return text;
}

std::string Roster::rank_path(const Entry& entry) const {
  if (schema != Schema::lab) return path(entry, "rank_id");
  return at("$.group_list", entry.place[0]) + at(".instance_list", entry.place[1]) + ".rank_id";
}

std::string Roster::root_path() const {
  if (schema == Schema::v2_0) return "$.rank_list";
  return schema == Schema::cloud || schema == Schema::lab ? "$.group_list" : "$.server_list";
}

std::string Roster::shown(int id) const {
  return schema == Schema::v2_0 ? std::to_string(id) : '"' + std::to_string(id) + '"';
}

Roster roster_of(const Table& table) {
  Roster roster;
  roster.schema = table.version == "1.2" ? Schema::v1_2 : Schema::v1_0;
  roster.servers = index(table.servers.size());
  roster.entries.reserve(device_count(table));
  for (std::uint32_t i = 0; i < roster.servers; ++i) {
    const std::vector<Device>& devices = table.servers[i].devices;
    for (std::uint32_t j = 0; j < devices.size(); ++j)
      roster.entries.push_back(
          {i, devices[j].device_id, devices[j].rank_id, devices[j].device_ip, {i, j, 0}});
  }
  return roster;
}

Roster roster_of(const CloudTable& table) {
  Roster roster;
  roster.schema = Schema::cloud;
  ServerNumbers numbers;
  for (std::uint32_t g = 0; g < table.groups.size(); ++g) {
    const std::vector<CloudInstance>& instances = table.groups[g].instances;
    for (std::uint32_t i = 0; i < instances.size(); ++i) {
      const std::uint32_t server = numbers.of(instances[i].server_id);
      const std::vector<CloudDevice>& devices = instances[i].devices;
      for (std::uint32_t d = 0; d < devices.size(); ++d)
        roster.entries.push_back({server, devices[d].device_id, -1, devices[d].device_ip, {g, i, d}});
    }
  }
  roster.servers = numbers.count();
  return roster;
}

Roster roster_of(const LabTable& table) {
  Roster roster;
  roster.schema = Schema::lab;
  ServerNumbers numbers;
  for (std::uint32_t g = 0; g < table.groups.size(); ++g) {
    const std::vector<LabInstance>& instances = table.groups[g].instances;
    for (std::uint32_t i = 0; i < instances.size(); ++i) {
      const LabInstance& each = instances[i];
      roster.entries.push_back(
          {numbers.of(each.server_id), each.device_id, each.rank_id, each.device_ip, {g, i, 0}});
    }
  }
  roster.servers = numbers.count();
  return roster;
}

Roster roster_of(const RankListTable& table) {
  Roster roster;
  roster.schema = Schema::v2_0;
  roster.servers = table.ranks.empty() ? 0 : 1;
  roster.entries.reserve(table.ranks.size());
  for (std::uint32_t i = 0; i < table.ranks.size(); ++i)
    roster.entries.push_back({0, table.ranks[i].device_id, table.ranks[i].rank_id, {}, {i, 0, 0}});
  return roster;
}

bool is_plain(const Roster& roster) {
  return roster.has_servers() && !roster.entries.empty() &&
         std::all_of(roster.entries.begin(), roster.entries.end(),
                     [](const Entry& entry) { return entry.device_ip.empty(); });
}

}  // namespace adarun::ranktable
