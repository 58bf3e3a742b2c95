// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/arguments/launch_options.h"
#include "launcher/links/link_findings.h"
#include "launcher/links/link_measurement.h"

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

}  // namespace adarun::cli
