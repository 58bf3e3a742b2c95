// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/arguments/launch_options.h"
#include "cli/arguments/spec_file.h"
#include "launcher/plan/placement.h"

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

/// The roles with their ranks on the nodes of a job. Throws Quit with exit_usage where
/// launcher::require_roles_fit() throws.
std::vector<launcher::Role> roles_on(const GivenRoles& given, const launcher::Placement& placement);

/// Throws Quit with exit_usage for options that a job of these roles cannot have.
void require_options_fit(const std::vector<launcher::Role>& roles, const LaunchOptions& options);

}  // namespace adarun::cli
