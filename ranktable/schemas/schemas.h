// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ranktable/json/document.h"
#include "ranktable/model/finding.h"
#include "ranktable/schemas/any_table.h"
#include "ranktable/schemas/base/conversion.h"
#include "ranktable/schemas/v1/schema.h"

namespace adarun::ranktable {

// Each schema declares the same functions for its table; std::visit selects them for an AnyTable:
//
//     bool is_NAME(JsonValue root);                   whether the root object of a file has this schema
//     std::size_t device_count(table);
//     std::size_t server_count(table);
//     void check(table, options, findings);           appends all findings about its values, in the order of
//                                                     the rules
//     std::vector<SchemaField> facts_of(table);
//     void keep(table, const KeptDevices&);           removes all other devices and renumbers ranks
//     Table as_v1(table);                             its ranks
//     NameTable to_NAME(const Table& ranks, Additions&);

/// The functions and properties of a schema that are needed before there is a table of it.
struct SchemaEntry {
  Schema schema;
  std::uint32_t topics;  ///< Kinds of facts that it can hold: bit i for FieldKind i.
  std::string_view name;
  bool (*holds)(const AnyTable& table);  ///< Whether a table is of this schema's type.
  bool (*matches)(JsonValue root);       ///< Whether the root object of a file has this schema.
  AnyTable (*parse)(JsonValue root, Findings& findings);
  AnyTable (*from_ranks)(const Table& ranks, Additions& additions);

  bool has_place(FieldKind topic) const { return (topics >> static_cast<unsigned>(topic) & 1U) != 0; }
};

/// All schemas, in the order of Schema.
std::span<const SchemaEntry> schemas();

/// The entry of one schema.
const SchemaEntry& entry_of(Schema schema);

}  // namespace adarun::ranktable
