// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/commands/monitor/runs.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// Files that a user wants of what monitor read.
struct ExportOptions {
  std::string plot;  ///< An .svg or .png; empty: none.
  std::string csv;   ///< A file, or "-" for stdout; empty: none.

  bool wanted() const { return !plot.empty() || !csv.empty(); }
};

void add_export_options(CLI::App& command, ExportOptions& options);

/// Writes the picture and the table of these runs. Throws where a file cannot be written.
void export_runs(const std::vector<ReadRun>& runs, const ExportOptions& options);

}  // namespace adarun::cli
