// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/commands/monitor/runs.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// Files to write from what monitor has read.
struct ExportOptions {
  std::string plot;  ///< Path of an .svg or .png; empty: none.
  std::string csv;   ///< Path of a file, or "-" for stdout; empty: none.

  bool wanted() const { return !plot.empty() || !csv.empty(); }
};

void add_export_options(CLI::App& command, ExportOptions& options);

/// Writes the plot and the CSV table of these runs. Throws if a file cannot be written.
void export_runs(const std::vector<ReadRun>& runs, const ExportOptions& options);

}  // namespace adarun::cli
