// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/convert.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "ranktable/model/decimal.h"
#include "ranktable/model/error.h"
#include "ranktable/model/fields.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/server_name.h"
#include "ranktable/schemas/schemas.h"

namespace adarun::ranktable {
namespace {

// Other schemas are converted through the 1.x model, where a device has only one place.
void require_distinct(const Table& ranks) {
  std::set<std::pair<std::string, int>> devices;
  std::set<int> seen;
  for (const Server& server : ranks.servers) {
    for (const Device& device : server.devices) {
      if (!devices.emplace(server.server_id, device.device_id).second)
        throw Error("server " + printable(server.server_id) + ": has device " +
                    std::to_string(device.device_id) + " twice");
      if (!seen.insert(device.rank_id).second)
        throw Error("rank " + std::to_string(device.rank_id) + ": comes twice");
    }
  }
}

void add_host_nic(Table& ranks, Additions& additions) {
  for (Server& server : ranks.servers) server.host_nic_ip = reserved_host_nic_ip;
  additions.push_back(std::string("$.server_list[*].host_nic_ip: \"") + reserved_host_nic_ip +
                      "\", as hccl_tools.py writes it");
}

// Adds a line for each wrong count in a struct of a table, with its JSON path: the value there and the real
// one.
class WrongCounts : public PassedOver {
 public:
  WrongCounts(const Path& path, Additions& additions) : path_(path), additions_(additions) {}

  template <typename Item>
  void list(std::string_view key, const std::vector<Item>& items, Presence = Presence::required) {
    for (std::size_t i = 0; i < items.size(); ++i) add(items[i], Path(path_, key, i), additions_);
  }

  void count(std::string_view key, const std::optional<std::string>& wrong, std::size_t count,
             Presence = Presence::required) {
    if (wrong)
      additions_.push_back(path_.text() + "." + std::string(key) + ": " + std::to_string(count) +
                           ", counted anew: it said \"" + *wrong + "\"");
  }
  void count(std::string_view key, const std::optional<std::int64_t>& wrong, std::size_t right) {
    if (wrong) count(key, std::to_string(*wrong), right);
  }

  void read_later(const auto& some) { some(*this); }

  template <typename Record>
  static void add(const Record& record, const Path& path, Additions& additions) {
    WrongCounts counts(path, additions);
    const_cast<Record&>(record).fields(counts);  // NOLINT: `fields` is one function for reading and others
  }

 private:
  const Path& path_;
  Additions& additions_;
};

Additions counted_anew(const AnyTable& table) {
  Additions additions;
  std::visit([&additions](const auto& each) { WrongCounts::add(each, Path(), additions); }, table);
  return additions;
}

// What a table says otherwise once it is read as ranks.
Additions counted_and_numbered_anew(const AnyTable& table) {
  Additions additions = counted_anew(table);
  if (const auto* groups = std::get_if<ServerGroupTable>(&table)) add_numberings(*groups, additions);
  return additions;
}

Table distinct_ranks(const AnyTable& table) {
  if (const auto* list = std::get_if<RankListTable>(&table)) require_ip_addresses(*list);
  if (const auto* groups = std::get_if<ServerGroupTable>(&table); groups && device_count(*groups) == 0)
    throw Error("has no devices");
  Table ranks = ranks_of(table);
  require_distinct(ranks);
  return ranks;
}

}  // namespace

Converted convert(const AnyTable& table, Schema to) {
  const Schema from = schema_of(table);
  if (from == to) return {table, {}, counted_anew(table)};
  Additions additions = counted_and_numbered_anew(table);
  Table ranks = distinct_ranks(table);
  const bool is_to_v1 = to == Schema::v1_0 || to == Schema::v1_2;
  if (is_to_v1 && !std::holds_alternative<Table>(table)) add_host_nic(ranks, additions);
  if (from == Schema::cloud)
    additions.emplace_back("the ranks: HCCL's, by server_id in byte order, then by device_id");
  AnyTable result = entry_of(to).from_ranks(ranks, additions);
  return {std::move(result), dropped_fields(table, to), std::move(additions)};
}

Converted convert_group(const ServerGroupTable& table, const std::string& group_id, Schema to) {
  const AnyTable group = without_other_groups(table, group_index(table, group_id));
  if (to == Schema::server_group) return {only_group(table, group_id), {}, counted_anew(group)};
  return convert(group, to);
}

Converted convert_to_groups(const AnyTable& table, const std::vector<GroupSelection>& selections,
                            const std::string& router) {
  Additions additions = counted_and_numbered_anew(table);
  const auto* groups = std::get_if<ServerGroupTable>(&table);
  std::vector<ServerGroup> kept;
  if (groups != nullptr && router.empty()) kept = groups_without_devices(*groups, selections);
  Table ranks = distinct_ranks(table);
  AnyTable result = group_ranks(ranks, selections, router, kept);
  add_addresses_of_groups(additions);
  const AnyTable rest = groups != nullptr ? AnyTable(without_kept(*groups, kept)) : table;
  return {std::move(result), dropped_fields(rest, Schema::server_group), std::move(additions)};
}

namespace {

// "$.a[3].b[0]" -> "$.a[].b[]"
std::string without_indices(const std::string& path) {
  std::string text;
  bool is_index = false;
  for (const char byte : path) {
    if (!is_digit(byte)) is_index = false;
    if (!is_index) text += byte;
    if (byte == '[') is_index = true;
  }
  return text;
}

}  // namespace

std::vector<std::string> dropped_fields(const AnyTable& table, Schema to) {
  const std::vector<SchemaField> facts = std::visit([](const auto& each) { return facts_of(each); }, table);
  const SchemaEntry& target = entry_of(to);
  std::vector<std::pair<const SchemaField*, std::size_t>> groups;  // The first of each kind, and how many.
  std::map<std::pair<FieldKind, std::string>, std::size_t> places;
  for (const SchemaField& fact : facts) {
    if (target.has_place(fact.topic)) continue;
    const auto [place, is_new] =
        places.emplace(std::pair(fact.topic, without_indices(fact.path)), groups.size());
    if (is_new) groups.emplace_back(&fact, 0);
    ++groups[place->second].second;
  }
  std::vector<std::string> lines;
  lines.reserve(groups.size());
  for (const auto& [first, count] : groups)
    lines.push_back(first->path + ": " + first->value +
                    (count > 1 ? " (and " + std::to_string(count - 1) + " more)" : ""));
  return lines;
}

}  // namespace adarun::ranktable
