// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "cli/arguments/placement.h"
#include "cli/commands/script/script_values.h"
#include "templates/template.h"

namespace adarun::cli {

/// One kind of script. To add a kind, add a template, its line in templates/template.cpp, and an entry in
/// script_kinds().
struct ScriptKind {
  const char* name;  ///< Name of the command.
  const char* help;
  const char* examples;
  const char* template_name;
  bool is_per_node;  ///< A file for each node; else one.
  bool has_program;
  /// Add the options that only this kind has, and its values. Both may be null.
  void (*add_options)(CLI::App& command, ScriptJob& job);
  void (*complete)(templates::Values& values, const launcher::Placement& placement, const ScriptJob& job);
  /// Where the options decide: the template's name, and a list of hosts in place of the user's (empty: none).
  const char* (*choose_template)(const ScriptJob& job) = nullptr;
  std::string (*choose_hosts)(const ScriptJob& job) = nullptr;
  bool has_roles = true;     ///< Its ranks may run several programs.
  bool runs_launch = false;  ///< Its script runs adarun launch, which knows what the end of a role means.
};

/// All kinds, in the order --help lists them.
const std::array<ScriptKind, 9>& script_kinds();

/// The values for one node's file: those of the job, overridden by those of the node.
templates::Values values_of_node(const templates::Values& job, const templates::Values& node);

/// The rank table for a script: the user's, else a plain one made from the hosts.
std::string table_text_of(const launcher::Placement& placement);

}  // namespace adarun::cli
