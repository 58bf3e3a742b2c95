// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "ranktable/schemas/server_group/schema.h"

namespace adarun::ranktable {

/// The part of the check that looks at groups and servers: ids, counts, addresses, super pods.
void check_groups(const ServerGroupTable& table, Findings& findings);

/// "$.server_group_list[1]"
std::string server_group_path(std::size_t group);

/// "$.server_group_list[1].server_list[0]"
std::string group_server_path(std::size_t group, std::size_t server);

}  // namespace adarun::ranktable
