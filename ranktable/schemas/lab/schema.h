// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"
#include "ranktable/rules/validate_options.h"
#include "ranktable/schemas/base/conversion.h"
#include "ranktable/schemas/lab/table.h"

namespace adarun::ranktable {

/// Whether the root object of a file is a lab table: a group_list and a deploy_mode, no version.
bool is_lab(JsonValue root);

/// Appends all findings about the values of the table, in the order of the rules.
void check(const LabTable& table, const ValidateOptions& options, Findings& findings);

/// The facts in the table; see SchemaField.
std::vector<SchemaField> facts_of(const LabTable& table);

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
