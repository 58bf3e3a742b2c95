// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adarun::launcher {

/// What messages over a link cost.
struct LinkCosts {
  double message_s = 0;  ///< Of a small message, one way.
  double bytes_per_s = 0;

  bool operator==(const LinkCosts&) const = default;
};

/// How fast a node is while its ranks run.
struct NodeSpeed {
  double copied_bytes_per_s = 0;        ///< Of all ranks together.
  double operations_per_s = 0;          ///< Of one rank, float32.
  LinkCosts cores;                      ///< Between two cores of a NUMA node.
  std::optional<LinkCosts> numa_nodes;  ///< Between two NUMA nodes; none: there is one.

  bool operator==(const NodeSpeed&) const = default;
};

/// A link from one node to another.
struct MeasuredLink {
  std::size_t from = 0;
  std::size_t to = 0;
  LinkCosts costs;
  std::string reason;  ///< Why it could not be measured; empty: it was.

  bool operator==(const MeasuredLink&) const = default;
};

/// What was measured, by the index of the node.
struct LinkReport {
  std::vector<std::string> reasons;  ///< Why a node has failed, one line without its name; empty: it has not.
  std::vector<std::optional<NodeSpeed>> speeds;
  std::vector<MeasuredLink> links;  ///< Both directions of each pair, as far as they were measured.
};

}  // namespace adarun::launcher
