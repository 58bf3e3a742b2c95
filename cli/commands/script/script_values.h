// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/placement.h"
#include "templates/template.h"

namespace adarun::cli {

/// What scripts are made for, besides nodes and ranks.
struct ScriptJob {
  std::string name = "adarun";  ///< A DNS label: lower-case letters, digits, '-'.
  std::string table_file;       ///< Where nodes have the rank table; empty: it is written beside the scripts.
  std::string image;            ///< Of containers.
  int master_port = 8118;       ///< Of msrun's scheduler.
  bool for_adarun = false;      ///< A hostfile for adarun, else for Open MPI.
  int node_count = 0;           ///< Of nodes that the site chooses; 0: they are given.
  int tasks_per_node = 1;       ///< There.
  std::string time_limit;       ///< As Slurm writes it; empty: the site's.
  std::vector<std::string> where;    ///< The options that tell adarun launch the same nodes.
  std::vector<std::string> program;  ///< With its arguments.
};

/// What every template is filled with (docs/script.md lists it); nodes that the site chooses are counted, not
/// listed. Throws Quit where a node's ranks are not in one row, which the tutorials' scripts count on.
templates::Values script_values(const JobPlacement& placement, const ScriptJob& job);

/// Words of a shell, a blank before each.
std::string shell_words(const std::vector<std::string>& words);

/// `word`: a word of a POSIX shell; `text`: a string of JSON and YAML; `line`: without line ends, for
/// comments.
const templates::Filters& script_filters();

}  // namespace adarun::cli
