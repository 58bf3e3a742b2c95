// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"
#include "ranktable/rules/validate_options.h"
#include "ranktable/schemas/base/conversion.h"

namespace adarun::ranktable {

// Versions 1.0 and 1.2. Their table is also the one that the rest of adarun uses (model/table.h).

/// Whether the root object of a file has that version.
bool is_v1_0(JsonValue root);
bool is_v1_2(JsonValue root);

/// Appends all findings about the values of the table, in the order of the rules.
void check(const Table& table, const ValidateOptions& options, Findings& findings);

/// The facts in the table; see SchemaField.
std::vector<SchemaField> facts_of(const Table& table);

/// Removes all other devices and renumbers ranks.
void keep(Table& table, const KeptDevices& kept);

/// The table itself.
Table as_v1(const Table& table);

/// `ranks` as version 1.0 or 1.2. Version 1.2 requires super pods: if there are none, one is made of all
/// servers. Throws Error on a server_id that HCCL does not accept.
Table to_v1_0(const Table& ranks, Additions& additions);
Table to_v1_2(const Table& ranks, Additions& additions);

}  // namespace adarun::ranktable
