// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/plan/job_options.h"
#include "launcher/plan/placement.h"

namespace CLI {
class App;
}

namespace adarun::cli {

struct Invocation;
struct LaunchOptions;

/// Whether a role may have this name: a letter, then up to 62 letters, digits, '-' and '_'.
bool is_role_name(const std::string& name);

/// A role without its program, as --role takes it: "NAME=RANKS", then its policy: "proxy=0:background",
/// "decode=8-15:optional,restarts=3". Throws ExitError with exit_usage.
launcher::Role read_role(const std::string& text);

/// Adds --role; `texts` gets its values, of which the first one alone stands before a "--".
void add_roles(CLI::App& command, std::vector<std::string>& texts);

/// The roles of a command line "--role NAME=RANKS -- PROGRAM ARGS --role NAME=RANKS -- PROGRAM ARGS": `texts`
/// are the values of --role before the first "--", `words` are all words behind it. A program ends where
/// "--role NAME=RANKS --" follows; "--role" with anything else behind it is a word of the program. No role
/// for no `texts`. Throws ExitError with exit_usage.
std::vector<launcher::Role> read_roles(const std::vector<std::string>& texts,
                                       const std::vector<std::string>& words);

/// The roles of a job. Either each has its ranks, or hosts say which these are.
struct GivenRoles {
  std::vector<launcher::Role> roles;
  std::map<std::string, std::string> hosts;  ///< By the name of the role: those whose ranks it has.
};

/// What a job runs: one program as every rank, or roles.
struct JobPrograms {
  std::vector<std::string> program;  ///< Empty in a job of roles.
  GivenRoles given;

  /// Of the first rank's role, or of all ranks.
  const std::vector<std::string>& first() const {
    return given.roles.empty() ? program : given.roles.front().argv;
  }
};

/// Throws ExitError with exit_usage if the first of the `words` behind "--" is empty.
void refuse_empty_program(const std::string& command, const std::vector<std::string>& words);

/// Of the command line, `role_texts` being the values of --role, or of the file of --spec. Throws ExitError
/// with exit_usage unless exactly one of both says it.
JobPrograms read_programs(const std::vector<std::string>& role_texts, const Invocation& invocation);

/// The roles with their ranks on the nodes of a job. Throws ExitError with exit_usage where
/// launcher::require_roles_fit() throws.
std::vector<launcher::Role> roles_on(const GivenRoles& given, const launcher::Placement& placement);

/// Throws ExitError with exit_usage for options that a job of these roles cannot have.
void require_options_fit(const std::vector<launcher::Role>& roles, const LaunchOptions& options);

}  // namespace adarun::cli
