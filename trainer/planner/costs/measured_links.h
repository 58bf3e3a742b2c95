// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainer/planner/costs/links.h"

namespace adarun::planner {

/// Measured costs of a cluster, whatever ranks a job has.
struct MeasuredLinks {
  struct OfLevel {
    std::string name;  ///< "node": between ranks of one node; "pod": of one super pod; "cluster": of all.
    double message_s = 0;
    double byte_s = 0;
    bool shared = false;  ///< The ranks of a node share the link.

    bool operator==(const OfLevel&) const = default;
  };

  std::vector<OfLevel> levels;             ///< Of unlike names.
  std::optional<double> operations_per_s;  ///< Of a rank.

  bool operator==(const MeasuredLinks&) const = default;
};

/// Typical costs, for when none were measured: within a node 5 us a message and 10 GB/s; between nodes 30 us
/// and 1.25 GB/s (10 Gbit/s), shared by its ranks.
MeasuredLinks typical_links();

/// How ranks are spread: those of each node, and of each super pod (empty: there are none), in rank order.
struct RankSpread {
  std::vector<std::int64_t> nodes;
  std::vector<std::int64_t> pods = {};
};

/// The links of these ranks. Nodes (pods) of unlike sizes count as units of their greatest common divisor,
/// and a shared link as that of the largest node. A super pod without a level of its own has that of the
/// cluster. Throws Error if a level is missing.
LinkLevels links_of(const MeasuredLinks& measured, const RankSpread& spread);

}  // namespace adarun::planner
