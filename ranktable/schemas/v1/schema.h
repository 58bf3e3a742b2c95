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

namespace adarun::ranktable {

// Versions 1.0 and 1.2, whose table is the one that the rest works with (model/table.h).

/// Whether the root object of a file says that it is of that version.
bool is_v1_0(JsonValue root);
bool is_v1_2(JsonValue root);

/// As much of the table as can be read: what is wrong with its form becomes a finding, a number that cannot
/// be read -1.
Table parse_v1(JsonValue root, Findings& findings);

/// Writes the table whole: the fields of the schema, counts made anew, then the extras.
void write_table(JsonWriter& out, const Table& table);

/// Appends all that is to be said about the values of the table, in the order of the rules.
void check(const Table& table, const ValidateOptions& options, Findings& findings);

/// See Fact.
std::vector<Fact> facts_of(const Table& table);

/// A line for each count that the file has wrong, with its JSON path: what it says and what there is.
std::vector<std::string> corrected_counts(const Table& table);

/// Takes the other devices out, and numbers ranks anew.
void keep(Table& table, const KeptDevices& kept);

/// The table itself.
Table as_v1(const Table& table);

/// `ranks` as version 1.0, or as 1.2, where super pods are asked for: if there are none, one holds all
/// servers. Throws Error on a server_id that HCCL does not take.
Table to_v1_0(const Table& ranks, Additions& additions);
Table to_v1_2(const Table& ranks, Additions& additions);

}  // namespace adarun::ranktable
