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

/// As much of the table as can be read: what is wrong with its form becomes a finding, a number that cannot
/// be read -1.
LabTable parse_lab(JsonValue root, Findings& findings);

/// Writes the table whole: the fields of the schema, counts made anew, then the extras.
void write_table(JsonWriter& out, const LabTable& table);

/// Appends all that is to be said about the values of the table, in the order of the rules.
void check(const LabTable& table, const ValidateOptions& options, Findings& findings);

/// Fields that are none of the schema, and none that other tools are known to write; part of the check.
void check_unknown_fields(const LabTable& table, Findings& findings);

/// See Fact.
std::vector<Fact> facts_of(const LabTable& table);

/// A line for each count that the file has wrong, with its JSON path: what it says and what there is.
std::vector<std::string> corrected_counts(const LabTable& table);

/// Takes the other devices out, and groups that are left without one, and numbers ranks anew.
void keep(LabTable& table, const KeptDevices& kept);

/// The ranks of all groups; servers in the order in which the instances name them first.
Table as_v1(const LabTable& table);

/// One group, an instance for each device in the order of `ranks`. Throws Error on a server_id that HCCL does
/// not take.
LabTable to_lab(const Table& ranks, Additions& additions);

/// The para_plane_nic_name that it writes: "eth0", "eth1", ..., one for each device_id of the table, rising.
std::vector<std::string> default_nic_names(const Table& ranks);

}  // namespace adarun::ranktable
