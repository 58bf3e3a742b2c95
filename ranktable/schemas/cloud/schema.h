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
#include "ranktable/schemas/cloud/table.h"

namespace adarun::ranktable {

/// Whether the root object of a file is a cloud table: a group_list, no version and no deploy_mode.
bool is_cloud(JsonValue root);

/// As much of the table as can be read: what is wrong with its form becomes a finding, a number that cannot
/// be read -1.
CloudTable parse_cloud(JsonValue root, Findings& findings);

/// Writes the table whole: the fields of the schema, counts made anew, then the extras.
void write_table(JsonWriter& out, const CloudTable& table);

/// Appends all that is to be said about the values of the table, in the order of the rules.
void check(const CloudTable& table, const ValidateOptions& options, Findings& findings);

/// Fields that are none of the schema, and none that other tools are known to write; part of the check.
void check_unknown_fields(const CloudTable& table, Findings& findings);

/// See Fact.
std::vector<Fact> facts_of(const CloudTable& table);

/// A line for each count that the file has wrong, with its JSON path: what it says and what there is.
std::vector<std::string> corrected_counts(const CloudTable& table);

/// Takes the other devices out, and instances and groups that are left without one.
void keep(CloudTable& table, const KeptDevices& kept);

/// The ranks that HCCL gives the table: over all groups, by server_id in byte order, then by device_id. Pods
/// of one server become one server. Servers and devices in the order of their ranks.
Table as_v1(const CloudTable& table);

/// One pod for each server, named after it, all in one group. Throws Error on a server_id that HCCL does not
/// take, and where HCCL would give a device of that table another rank.
CloudTable to_cloud(const Table& ranks, Additions& additions);

}  // namespace adarun::ranktable
