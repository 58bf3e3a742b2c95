// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ranktable/finding.h"
#include "ranktable/model.h"
#include "ranktable/validate.h"

namespace adarun::ranktable {

/// Each appends what it finds; validate() calls them in this order.
using Findings = std::vector<Finding>;

/// Status, server_count, the list of servers, their ids and fields.
void check_servers(const Table& table, const ValidateOptions& options, Findings& findings);

/// Device ids and ports.
void check_devices(const Table& table, Findings& findings);

/// Ranks: each once, contiguous from 0, those of a server together.
void check_ranks(const Table& table, Findings& findings);

/// Card addresses: all or none, valid, each once, of one family.
void check_addresses(const Table& table, const ValidateOptions& options, Findings& findings);

/// Numbers of devices and rings, by generation. Only for tables with addresses; says nothing where a server
/// has no devices, which is an error of its own.
void check_generations(const Table& table, const ValidateOptions& options, Findings& findings);

/// "$.server_list[1]"
std::string path_of(std::size_t server);

/// "$.server_list[1].device[0]"
std::string path_of(std::size_t server, std::size_t device);

}  // namespace adarun::ranktable
