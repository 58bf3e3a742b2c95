// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/plan/job_options.h"
#include "ranktable/model/table.h"
#include "ranktable/schemas/any_table.h"

namespace adarun::launcher {

/// The ranks of a group of a server_group table, which follow one another.
struct GroupRanks {
  std::string group_id;
  std::size_t first = 0;
  std::size_t count = 0;  ///< Never 0.

  bool operator==(const GroupRanks&) const = default;
};

/// The groups of a server_group table that have ranks; none of any other table.
std::vector<GroupRanks> rank_groups(const ranktable::AnyTable& table);

/// A job's nodes, and which ranks run on them.
struct Placement {
  ranktable::Table table;
  std::string table_text;   ///< The user's table, byte for byte; empty: the table was made from the hosts.
  std::vector<Host> hosts;  ///< One per server of the table, in its order.

  std::vector<Host> spares = {};

  /// The user's table, with the servers of the spares; null: the table was made from the hosts.
  std::shared_ptr<const ranktable::AnyTable> whole_table = {};
  std::map<std::string, std::string> server_of_host = {};  ///< server_id in `whole_table`, by name of host.
  std::vector<GroupRanks> groups = {};                     ///< Of a server_group table.
};

/// The placement on other hosts, for another attempt of a job that was placed as `first`: in the order of
/// `hosts`, or in that of the user's table. With `adasum`, of the first ranks only, if AdaSum does not take
/// all. Throws Error if AdaSum takes none, if a group of a server_group table would have no devices, or if a
/// host is not in the user's table.
Placement place_on(const std::vector<Host>& hosts, const Placement& first, bool adasum);

/// Throws Error unless each rank of a job of this size is in one role, or there are none.
void require_roles_fit(const std::vector<Role>& roles, std::size_t world_size);

/// Same, and by a server_group table each role has whole groups, or a part of one group.
void require_roles_fit(const std::vector<Role>& roles, const Placement& placement);

/// Same, for another attempt of a job that was placed as `first`: groups must have the ranks they had.
void require_roles_fit(const std::vector<Role>& roles, const Placement& placement, const Placement& first);

}  // namespace adarun::launcher
