// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/job_options.h"

#include <algorithm>

#include "launcher/base/error.h"

namespace adarun::launcher {

bool JobOptions::restarts_ranks() const {
  return rank_restarts > 0 || spares_join() ||
         std::ranges::any_of(roles, [](const Role& role) { return role.policy.restarts > 0; });
}

std::vector<std::uint32_t> role_of_ranks(const std::vector<Role>& roles, std::size_t world_size) {
  if (roles.empty()) return {};
  const auto none = static_cast<std::uint32_t>(roles.size());
  std::vector<std::uint32_t> role_of(world_size, none);
  for (std::uint32_t number = 0; number < roles.size(); ++number)
    for (const std::uint32_t rank : roles[number].ranks) {
      if (rank >= world_size)
        throw Error("role " + roles[number].name + ": rank " + std::to_string(rank) + " of a job of " +
                    std::to_string(world_size) + ": its ranks begin at 0");
      if (role_of[rank] != none)
        throw Error("rank " + std::to_string(rank) + " is in two roles, " + roles[role_of[rank]].name +
                    " and " + roles[number].name + ": wanted one");
      role_of[rank] = number;
    }
  const auto without = std::find(role_of.begin(), role_of.end(), none);
  if (without != role_of.end())
    throw Error("rank " + std::to_string(without - role_of.begin()) + " is in no role: each of the job's " +
                std::to_string(world_size) + " ranks wants one");
  return role_of;
}

std::vector<std::string> role_variables(const Role& role, std::uint32_t rank) {
  const auto place = std::lower_bound(role.ranks.begin(), role.ranks.end(), rank);
  const std::string number = std::to_string(place - role.ranks.begin());
  const std::string size = std::to_string(role.ranks.size());
  return {"ADARUN_ROLE=" + role.name, "ADARUN_ROLE_RANK=" + number, "ADARUN_ROLE_SIZE=" + size,
          "ROLE_NAME=" + role.name,   "ROLE_RANK=" + number,        "ROLE_WORLD_SIZE=" + size};
}

}  // namespace adarun::launcher
