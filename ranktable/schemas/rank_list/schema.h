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
#include "ranktable/schemas/rank_list/table.h"

namespace adarun::ranktable {

/// Whether the root object of a file says that it is of version 2.0.
bool is_rank_list(JsonValue root);

/// As much of the table as can be read: what is wrong with its form becomes a finding, a number that cannot
/// be read -1.
RankListTable parse_rank_list(JsonValue root, Findings& findings);

/// Writes the table whole: the fields of the schema, counts made anew, then the extras.
void write_table(JsonWriter& out, const RankListTable& table);

/// Appends all that is to be said about the values of the table, in the order of the rules.
void check(const RankListTable& table, const ValidateOptions& options, Findings& findings);

/// Fields that are none of the schema, and none that other tools are known to write; part of the check.
void check_unknown_fields(const RankListTable& table, Findings& findings);

/// See Fact.
std::vector<Fact> facts_of(const RankListTable& table);

/// A line for each count that the file has wrong, with its JSON path: what it says and what there is.
std::vector<std::string> corrected_counts(const RankListTable& table);

/// Takes the other devices out, and numbers ranks anew.
void keep(RankListTable& table, const KeptDevices& kept);

/// Servers are the instances of layer 0, in the order in which the ranks name them first; card addresses are
/// those of `ip_address`; of version 1.2 where it `has_super_pods` (both in layers.h), else 1.0. Throws Error
/// where a rank has no layer 0.
Table as_v1(const RankListTable& table);

/// Throws Error on a rank that has addresses and none of them an IP address: other schemas know those alone.
void require_ip_addresses(const RankListTable& table);

/// Servers as layer 0, super pods as layer 1, card addresses on layer 3 (layers.h); ranks rising. Throws
/// Error on a device_id above 63, an address that is none, and a server in two super pods.
RankListTable to_rank_list(const Table& ranks, Additions& additions);

}  // namespace adarun::ranktable
