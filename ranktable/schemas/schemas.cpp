// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/schemas.h"

#include <algorithm>
#include <utility>

#include "ranktable/json/field_reader.h"

namespace adarun::ranktable {
namespace {

constexpr std::uint32_t topics(std::initializer_list<FieldKind> all) {
  std::uint32_t bits = 0;
  for (const FieldKind topic : all) bits |= 1U << static_cast<unsigned>(topic);
  return bits;
}

template <auto from_ranks>
constexpr SchemaEntry entry(Schema schema, std::string_view name, bool (*matches)(JsonValue),
                            std::uint32_t topics) {
  using SomeTable = decltype(from_ranks(std::declval<const Table&>(), std::declval<Additions&>()));
  return {schema,
          topics,
          name,
          [](const AnyTable& table) { return std::holds_alternative<SomeTable>(table); },
          matches,
          [](JsonValue root, Findings& findings) -> AnyTable {
            return FieldReader::read<SomeTable>(root, Path(), findings);
          },
          [](const Table& ranks, Additions& additions) -> AnyTable { return from_ranks(ranks, additions); }};
}

constexpr SchemaEntry entries[] = {
    entry<to_v1_0>(Schema::v1_0, "1.0", is_v1_0, topics({FieldKind::port, FieldKind::v1_field})),
    entry<to_v1_2>(
        Schema::v1_2, "1.2", is_v1_2,
        topics({FieldKind::super_pod, FieldKind::v1_2_field, FieldKind::port, FieldKind::v1_field})),
    entry<to_rank_list>(Schema::v2_0, "2.0", is_rank_list, topics({FieldKind::super_pod, FieldKind::port})),
    entry<to_cloud>(Schema::cloud, "cloud", is_cloud, topics({})),
    entry<to_lab>(Schema::lab, "lab", is_lab, topics({})),
    entry<to_server_group>(
        Schema::server_group, "server_group", is_server_group,
        topics({FieldKind::super_pod, FieldKind::v1_2_field, FieldKind::port, FieldKind::v1_field})),
};

}  // namespace

std::span<const SchemaEntry> schemas() {
  return entries;
}

const SchemaEntry& entry_of(Schema schema) {
  return entries[static_cast<std::size_t>(schema)];
}

std::string_view name(Schema schema) {
  return entry_of(schema).name;
}

std::vector<std::pair<std::string, Schema>> schema_names() {
  std::vector<std::pair<std::string, Schema>> names;
  for (const SchemaEntry& entry : entries) names.emplace_back(entry.name, entry.schema);
  return names;
}

Schema schema_of(const AnyTable& table) {
  if (const auto* v1 = std::get_if<Table>(&table)) return v1->version == "1.2" ? Schema::v1_2 : Schema::v1_0;
  return std::find_if(std::begin(entries), std::end(entries),
                      [&table](const SchemaEntry& entry) { return entry.holds(table); })
      ->schema;
}

std::size_t device_count(const AnyTable& table) {
  return std::visit([](const auto& each) { return device_count(each); }, table);
}

std::size_t server_count(const AnyTable& table) {
  return std::visit([](const auto& each) { return server_count(each); }, table);
}

Table ranks_of(const AnyTable& table) {
  return std::visit([](const auto& each) { return as_v1(each); }, table);
}

}  // namespace adarun::ranktable
