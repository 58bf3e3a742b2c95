// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/links/link_measurement.h"
#include "launcher/probe/checks.h"

namespace adarun::launcher {

/// The links of one kind.
struct LevelCosts {
  std::string name;       ///< "node": between ranks of one node; "pod": of one super pod; "cluster": of all.
  std::size_t links = 0;  ///< That were measured.
  LinkCosts costs;        ///< The medians.

  bool operator==(const LevelCosts&) const = default;
};

/// The levels of which links were measured. `pods[i]` is the super pod of node i; empty: there are none.
/// Where a node has several NUMA nodes, a message within it costs what it costs between them.
std::vector<LevelCosts> levels_of(const LinkReport& report, const std::vector<std::size_t>& pods);

/// What is unlike the rest.
struct LinkFinding {
  Verdict verdict = Verdict::doubtful;
  std::vector<std::string> nodes;
  std::string text;  ///< "sends at 0.41 of the others' rate: 0.12 Gbit/s"; does not name the nodes.

  bool operator==(const LinkFinding&) const = default;
};

/// Wrong: nodes that failed and links that could not be measured. Doubtful: nodes that send, receive, copy or
/// compute at less than 0.7 of the others' median, or whose messages take more than twice as long; links with
/// less than half the rate that both ends have with most other nodes.
std::vector<LinkFinding> findings_of(const LinkReport& report, const std::vector<std::string>& nodes);

/// "0.41 Gbit/s".
std::string describe_link_rate(double bytes_per_s);

/// "142 us".
std::string describe_latency(double seconds);

}  // namespace adarun::launcher
