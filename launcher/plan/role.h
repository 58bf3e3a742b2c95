// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace adarun::launcher {

/// The most that RolePolicy::restarts may be.
inline constexpr std::size_t most_role_restarts = 1'000'000;

/// What the end of the ranks of a role means for the job.
struct RolePolicy {
  /// The job does not wait for them: once all other ranks have ended, they are ended, too.
  bool background = false;
  bool optional = false;     ///< The job goes on without one that fails.
  std::size_t restarts = 0;  ///< How often those that fail are started again first, all of them together.

  bool operator==(const RolePolicy&) const = default;
};

/// Ranks that run a program of their own, in a job of several programs. They are in one MPI world with all
/// others; MPI_APPNUM is the number of their role.
struct Role {
  std::string name;
  std::vector<std::uint32_t> ranks;           ///< Ascending; never empty.
  std::vector<std::string> argv;              ///< Program and arguments; never empty.
  RolePolicy policy = {};                     ///< What the end of its ranks means for the job.
  std::vector<std::string> environment = {};  ///< "NAME=VALUE"; overrides that of the job.
  std::string workdir = {};                   ///< On every node; empty: that of the job.
};

/// Whether ranks of a role may be started again.
bool any_restarts(const std::vector<Role>& roles);

/// The number of each rank's role, by rank; empty if there are no roles. Throws Error that names a rank which
/// is in no role, in two, or beyond the world.
std::vector<std::uint32_t> role_of_ranks(const std::vector<Role>& roles, std::size_t world_size);

/// The variables of a job, "NAME=VALUE".
struct JobEnvironment {
  std::vector<std::string> common;      ///< Of all ranks.
  std::vector<std::string> overridden;  ///< By some role: each rank has them before those of its role.
};
JobEnvironment split_environment(const std::vector<Role>& roles, const std::vector<std::string>& environment);

/// "NAME=VALUE": ADARUN_ROLE, ADARUN_ROLE_RANK (its number among the ranks of its role, from 0) and
/// ADARUN_ROLE_SIZE, and torchrun's names for them.
std::vector<std::string> role_variables(const Role& role, std::uint32_t rank);

}  // namespace adarun::launcher
