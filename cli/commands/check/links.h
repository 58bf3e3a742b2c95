// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/arguments/launch_options.h"
#include "launcher/links/link_findings.h"
#include "launcher/links/link_measurement.h"
#include "monitor/plot/picture.h"

namespace adarun::cli {

/// Links of nodes, and what is to say of them.
struct CheckedLinks {
  std::vector<std::string> names;      ///< Of the nodes.
  std::vector<std::string> addresses;  ///< At which they were measured.
  launcher::LinkReport report;         ///< Its links by node, then by the other node.
  std::vector<launcher::LevelCosts> levels;
  std::vector<launcher::LinkFinding> findings;
  std::chrono::milliseconds time{0};
};

/// Measures the links between all nodes; on a terminal, shows progress on stderr.
CheckedLinks check_links(const LaunchOptions& options);

/// For people: the rates of up to 16 nodes as a matrix, their speeds, and the levels.
std::string links_text(const CheckedLinks& links);

/// As JSON (docs/check-links.schema.json).
std::string links_json(const CheckedLinks& links);

/// The levels as costs for adarun plan. Throws ExitError if no link was measured.
std::string links_file(const CheckedLinks& links);

/// A square for each link, the darker the faster: from the node of its line to that of its column.
monitor::plot::Scene link_picture(const CheckedLinks& links);

}  // namespace adarun::cli
