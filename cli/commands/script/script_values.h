// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/arguments/placement.h"
#include "launcher/plan/job_options.h"
#include "templates/template.h"

namespace adarun::cli {

/// Values for scripts, besides nodes and ranks.
struct ScriptJob {
  std::string name = "adarun";  ///< A DNS label: lower-case letters, digits, '-'.
  std::string table_file;  ///< Path of the rank table on the nodes; empty: it is written beside the scripts.
  std::vector<std::string> images;     ///< Of the containers: IMAGE for all, ROLE=IMAGE for those of a role.
  std::vector<std::string> resources;  ///< NAME=COUNT, what each pod is given.
  bool jobset = false;                 ///< A JobSet, with a Job for each role, instead of one Job.
  int master_port = 8118;              ///< Port of msrun's scheduler.
  bool for_adarun = false;             ///< The hostfile is for adarun, else for Open MPI.
  int node_count = 0;                  ///< Number of nodes, if the site chooses them; 0: they are given.
  int tasks_per_node = 1;              ///< On nodes that the site chooses.
  int gpus_per_node = 0;               ///< That the batch system is asked for; 0: none.
  std::string time_limit;              ///< In Slurm's format; empty: the site's default.
  std::vector<std::string> where;  ///< Options that make adarun launch use the same nodes, in the same roles.
  std::vector<launcher::Role> roles;  ///< With their programs; none: all ranks run one.
  std::vector<std::string> program;   ///< With its arguments.
};

/// The values for every template (listed in docs/script.md). For nodes that the site chooses, only their
/// number is set. Throws ExitError if a node's ranks are not consecutive, which the tutorials' scripts
/// require.
templates::Values script_values(const launcher::Placement& placement, const ScriptJob& job);

/// Adds --nodes and --ntasks-per-node, for nodes that the site chooses.
void add_site_nodes(CLI::App& command, ScriptJob& job, const std::string& nodes_help,
                    const std::string& ranks_help);

/// Quoted as shell words, each preceded by a blank.
std::string shell_words(const std::vector<std::string>& words);

/// The same for bash, without line ends and other control characters.
std::string one_line_words(const std::vector<std::string>& words);

/// `word`: quotes as a word of a POSIX shell; `text`: quotes as a string of JSON and YAML; `block`: as a
/// block of YAML where that holds it, else as `text`; `line`: removes line ends, for comments.
const templates::Filters& script_filters();

/// Adds to the values of a job what its ranks run: without roles the list `one_program`, of one empty member;
/// else the list `any_role`, likewise, and the list `roles`, with `role` and `program` of each. The text
/// `program` stays for the former only, so that a template that knows of no roles is refused.
void add_programs(templates::Values& values, const std::vector<launcher::Role>& roles);

/// Adds `role_variables` to each member of a list of ranks: "NAME=VALUE", as words of a shell with a blank
/// before each. Without roles there are none.
void add_role_variables(std::vector<templates::Values>& ranks, const std::vector<launcher::Role>& roles);

}  // namespace adarun::cli
