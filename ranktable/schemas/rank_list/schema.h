// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"
#include "ranktable/rules/validate_options.h"
#include "ranktable/schemas/base/conversion.h"
#include "ranktable/schemas/rank_list/table.h"

namespace adarun::ranktable {

/// Whether the root object of a file has version 2.0.
bool is_rank_list(JsonValue root);

/// Appends all findings about the values of the table, in the order of the rules.
void check(const RankListTable& table, const ValidateOptions& options, Findings& findings);

/// The facts in the table; see SchemaField.
std::vector<SchemaField> facts_of(const RankListTable& table);

/// Removes all other devices and renumbers ranks.
void keep(RankListTable& table, const KeptDevices& kept);

/// The ranks as a Table. Servers are the instances of layer 0, in the order in which ranks first name them;
/// a card's address is the first IPv4 or IPv6 address on the highest layer that has one. Version 1.2 if layer
/// 1 describes super pods (every rank is on it, and all ranks of a server are in one instance), else 1.0.
/// Throws Error if a rank has no layer 0.
Table as_v1(const RankListTable& table);

/// Throws Error on a rank that has addresses but no IP address: other schemas have only IP addresses.
void require_ip_addresses(const RankListTable& table);

/// Servers become layer 0, super pods layer 1; cards with an address are also on layer 3, and have the
/// address on every layer. Ranks are ascending. Throws Error on a device_id above 63, an invalid
/// address, and a server in two super pods.
RankListTable to_rank_list(const Table& ranks, Additions& additions);

}  // namespace adarun::ranktable
