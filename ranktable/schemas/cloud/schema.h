// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"
#include "ranktable/rules/validate_options.h"
#include "ranktable/schemas/base/conversion.h"
#include "ranktable/schemas/cloud/table.h"

namespace adarun::ranktable {

/// Whether the root object of a file is a cloud table: a group_list, no version and no deploy_mode.
bool is_cloud(JsonValue root);

/// Appends all findings about the values of the table, in the order of the rules.
void check(const CloudTable& table, const ValidateOptions& options, Findings& findings);

/// The facts in the table; see SchemaField.
std::vector<SchemaField> facts_of(const CloudTable& table);

/// Removes all other devices, and instances and groups left without any.
void keep(CloudTable& table, const KeptDevices& kept);

/// The ranks that HCCL assigns: over all groups, by server_id in byte order, then by device_id. Pods of one
/// server become one server. Servers and devices are in the order of their ranks.
Table as_v1(const CloudTable& table);

/// One pod for each server, named after it, all in one group. Throws Error on a server_id that HCCL does not
/// accept, and if HCCL would give a device of that table another rank.
CloudTable to_cloud(const Table& ranks, Additions& additions);

}  // namespace adarun::ranktable
