// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace adarun::launcher {

/// Ranks that run a program of their own, in a job of several programs. They are in one MPI world with all
/// others; MPI_APPNUM is the number of their role.
struct Role {
  std::string name;
  std::vector<std::uint32_t> ranks;  ///< Ascending; never empty.
  std::vector<std::string> argv;     ///< Program and arguments; never empty.
};

/// The number of each rank's role, by rank; empty if there are no roles. Throws Error that names a rank which
/// is in no role, in two, or beyond the world.
std::vector<std::uint32_t> role_of_ranks(const std::vector<Role>& roles, std::size_t world_size);

/// "NAME=VALUE": ADARUN_ROLE, ADARUN_ROLE_RANK (its number among the ranks of its role, from 0) and
/// ADARUN_ROLE_SIZE, and torchrun's names for them.
std::vector<std::string> role_variables(const Role& role, std::uint32_t rank);

}  // namespace adarun::launcher
