// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/launch_options.h"
#include "cli/options/placement.h"
#include "cli/options/spec_file.h"

namespace adarun::cli {

struct Invocation;

/// What a job runs: one program as every rank, or roles.
struct JobPrograms {
  std::vector<std::string> program;  ///< Empty in a job of roles.
  GivenRoles given;

  /// Of the first rank's role, or of all ranks.
  const std::vector<std::string>& first() const {
    return given.roles.empty() ? program : given.roles.front().argv;
  }
};

/// Of the command line, `role_texts` being the values of --role, or of the file of --spec. Throws Quit with
/// exit_usage unless exactly one of both says it.
JobPrograms read_programs(const std::vector<std::string>& role_texts, const Invocation& invocation);

/// Throws Quit with exit_usage unless each rank of a job is in one role, and, by a server_group table, each
/// role has whole groups, or a part of one group. No roles: takes everything.
void require_roles_fit(const std::vector<launcher::Role>& roles, const JobPlacement& placement);

/// Same, for another attempt of a job that was placed as `first`: groups must have the ranks they had.
void require_roles_fit(const std::vector<launcher::Role>& roles, const JobPlacement& placement,
                       const JobPlacement& first);

/// The roles with their ranks on the nodes of a job. Throws Quit as `require_roles_fit` does.
std::vector<launcher::Role> roles_on(const GivenRoles& given, const JobPlacement& placement);

/// Throws Quit with exit_usage for options that a job of these roles cannot have.
void require_options_fit(const std::vector<launcher::Role>& roles, const LaunchOptions& options);

}  // namespace adarun::cli
