// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/model/table.h"
#include "ranktable/schemas/server_group/schema.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// Which ranks become which groups of a server_group table.
struct GroupOptions {
  std::vector<ranktable::GroupSelection> groups;
  std::string router;  ///< Empty: the first server.
};

/// Adds --role NAME=RANKS, which may come several times, and --router.
void add_group_options(CLI::App& command, GroupOptions& options);

/// Throws ExitError with exit_usage if a --role makes the group in which --router would be.
void require_place_of_router(const GroupOptions& options);

/// Throws ExitError with exit_usage unless there are no groups, or each rank of the table is in one.
void require_groups_fit(const GroupOptions& options, const ranktable::Table& ranks);

}  // namespace adarun::cli
