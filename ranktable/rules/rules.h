// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "ranktable/any_table.h"
#include "ranktable/rules/roster.h"
#include "ranktable/rules/rule.h"
#include "ranktable/validate.h"

namespace adarun::ranktable {

// Each appends what it finds; validate() calls them.

/// Versions 1.0 and 1.2: server_count, the list of servers and their ids.
void check_servers(const Table& table, Findings& findings);

/// Versions 1.0 and 1.2: ports and further addresses, where there are any.
void check_optional_fields(const Table& table, Findings& findings);

/// Version 1.2: super pods and the ids of devices in them.
void check_super_pods(const Table& table, Findings& findings);

/// What only a cloud table has: pods, its counts, HCCL's order of ranks.
void check_cloud(const CloudTable& table, Findings& findings);

/// What only a lab table has: board, chip, its counts.
void check_lab(const LabTable& table, Findings& findings);

/// What only a 2.0 table has: levels, addresses, ports, its count.
void check_rank_list(const RankListTable& table, Findings& findings);

/// Fields that are none of the schema, and none that other tools are known to write.
void check_unknown_fields(const Table& table, Findings& findings);
void check_unknown_fields(const CloudTable& table, Findings& findings);
void check_unknown_fields(const LabTable& table, Findings& findings);
void check_unknown_fields(const RankListTable& table, Findings& findings);

/// Device ids: each once in its server, not too large. Not for 2.0.
void check_device_ids(const Roster& roster, Findings& findings);

/// Ranks: each once, contiguous from 0, those of a server together. Not for cloud tables, which have none.
void check_ranks(const Roster& roster, Findings& findings);

/// Card addresses: all or none, valid, each once, of one family. Not for 2.0.
void check_addresses(const Roster& roster, const ValidateOptions& options, Findings& findings);

/// Schema, numbers of devices and rings, by generation. Plain tables are of no generation; says nothing of
/// numbers where a server has no devices, which is an error of its own.
void check_generations(const Roster& roster, const ValidateOptions& options, Findings& findings);

/// A3: whether super pods are of one size.
void advise_equal_pods(const Table& table, const ValidateOptions& options, Findings& findings);

/// "$.server_list[1]"
std::string path_of(std::size_t server);

/// "$.server_list[1].device[0]"
std::string path_of(std::size_t server, std::size_t device);

}  // namespace adarun::ranktable
