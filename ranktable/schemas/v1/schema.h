// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"
#include "ranktable/rules/validate_options.h"
#include "ranktable/schemas/base/conversion.h"

namespace adarun::ranktable {

// Versions 1.0 and 1.2. Their table is also the one that the rest of adarun uses (model/table.h). The
// functions of every schema: see schemas.h.

/// Whether it has that version, and no server_group_list.
bool is_v1_0(JsonValue root);
bool is_v1_2(JsonValue root);

void check(const Table& table, const ValidateOptions& options, Findings& findings);
std::vector<SchemaField> facts_of(const Table& table);
void keep(Table& table, const KeptDevices& kept);

/// The table itself.
Table as_v1(const Table& table);

/// `ranks` as version 1.0 or 1.2. Version 1.2 requires super pods: if there are none, one is made of all
/// servers. Throws Error on a server_id that HCCL does not accept.
Table to_v1_0(const Table& ranks, Additions& additions);
Table to_v1_2(const Table& ranks, Additions& additions);

}  // namespace adarun::ranktable
