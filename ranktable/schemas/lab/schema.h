// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/json/writer.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"
#include "ranktable/rules/validate_options.h"
#include "ranktable/schemas/base/conversion.h"
#include "ranktable/schemas/base/fact.h"
#include "ranktable/schemas/base/kept_devices.h"
#include "ranktable/schemas/lab/table.h"

namespace adarun::ranktable {

/// Whether the root object of a file is a lab table: a group_list and a deploy_mode, no version.
bool is_lab(JsonValue root);

/// As much of the table as can be read. Errors in its form become findings; unreadable numbers are -1.
LabTable parse_lab(JsonValue root, Findings& findings);

/// Writes the whole table: the fields of the schema, with counts recomputed, then the extras.
void write_table(JsonWriter& out, const LabTable& table);

/// Appends all findings about the values of the table, in the order of the rules.
void check(const LabTable& table, const ValidateOptions& options, Findings& findings);

/// Reports fields that are neither in the schema nor known to be written by other tools; part of `check`.
void check_unknown_fields(const LabTable& table, Findings& findings);

/// The facts in the table; see Fact.
std::vector<Fact> facts_of(const LabTable& table);

/// One line for each wrong count in the file, with its JSON path: the value there and the real one.
std::vector<std::string> corrected_counts(const LabTable& table);

/// Removes all other devices, and groups left without any, and renumbers ranks.
void keep(LabTable& table, const KeptDevices& kept);

/// The ranks of all groups; servers in the order in which instances first name them.
Table as_v1(const LabTable& table);

/// One group, with an instance for each device in the order of `ranks`. Throws Error on a server_id that HCCL
/// does not accept.
LabTable to_lab(const Table& ranks, Additions& additions);

/// The para_plane_nic_name that `to_lab` writes: "eth0", "eth1", ..., one for each device_id in the table,
/// ascending.
std::vector<std::string> default_nic_names(const Table& ranks);

}  // namespace adarun::ranktable
