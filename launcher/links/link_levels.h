// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/links/link_report.h"

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

}  // namespace adarun::launcher
