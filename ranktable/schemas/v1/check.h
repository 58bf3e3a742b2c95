// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "ranktable/schemas/v1/schema.h"

namespace adarun::ranktable {

// The parts of the check of versions 1.0 and 1.2. Each appends its findings.

/// server_count, the list of servers and their ids.
void check_servers(const Table& table, Findings& findings);

/// Ports and further addresses, if present.
void check_optional_fields(const Table& table, Findings& findings);

/// Version 1.2: super pods and the ids of devices in them.
void check_super_pods(const Table& table, Findings& findings);

/// A3: whether all super pods have the same size.
void advise_equal_pods(const Table& table, const ValidateOptions& options, Findings& findings);

/// Fields that are neither in the schema nor known to be written by other tools.
void check_unknown_fields(const Table& table, Findings& findings);

/// "$.server_list[1]"
std::string path_of(std::size_t server);

/// "$.server_list[1].device[0]"
std::string path_of(std::size_t server, std::size_t device);

}  // namespace adarun::ranktable
