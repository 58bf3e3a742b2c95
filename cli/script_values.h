// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/placement.h"
#include "templates/template.h"

namespace adarun::cli {

/// What scripts are made for, besides nodes and ranks.
struct ScriptJob {
  std::string name = "adarun";  ///< A DNS label: lower-case letters, digits, '-'.
  std::string table_file;       ///< Where nodes have the rank table; empty: it is written beside the scripts.
  std::string image;            ///< Of containers.
  int master_port = 8118;       ///< Of msrun's scheduler.
  std::vector<std::string> program;  ///< With its arguments.
};

/// What every template is filled with (docs/script.md lists it). Throws Quit where a node's ranks are not in
/// one row, which the tutorials' scripts count on.
templates::Values script_values(const Placement& placement, const ScriptJob& job);

/// `word`: a word of a POSIX shell; `text`: a string of JSON and YAML; `line`: without line ends, for
/// comments.
const templates::Filters& script_filters();

}  // namespace adarun::cli
