// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "trainer/planner/model/strategy.h"

namespace adarun::planner {

/// LinkLevels between ranks that have no nearer ones: those of a node, between nodes, between super pods.
struct LinkLevel {
  std::string name;
  std::int64_t ranks = 1;    ///< Adjacent ranks that are within one unit of this level: those of a node, ...
  double message_s = 0;      ///< Of a message, besides its bytes (alpha).
  double byte_s = 0;         ///< Of a byte on a link (beta).
  std::int64_t sharing = 1;  ///< Ranks that share one link.

  bool operator==(const LinkLevel&) const = default;
};

/// From the nearest to the farthest, which holds all ranks; the ranks of a level are a multiple of those of
/// the one before, but for the last.
using LinkLevels = std::vector<LinkLevel>;

/// What one rank sends over links of each level.
struct Traffic {
  struct OfLevel {
    std::int64_t messages = 0;
    double bytes = 0;

    bool operator==(const OfLevel&) const = default;
  };

  std::vector<OfLevel> levels;

  bool operator==(const Traffic&) const = default;
  double bytes() const;
  std::int64_t messages() const;
};

/// Time of this traffic if all ranks have as much, of which at most `most_sharing` share a link.
double seconds(const Traffic& traffic, const LinkLevels& links,
               std::int64_t most_sharing = std::numeric_limits<std::int64_t>::max());

/// The level of the links between two ranks.
std::size_t level_between(std::int64_t rank, std::int64_t other, const LinkLevels& links);

/// Ranks 0, stride, 2 stride, ...
struct StridedRanks {
  std::int64_t ranks = 1;
  std::int64_t stride = 1;
};

/// An allreduce in which each rank sends its part of `bytes` to each other rank of the group, and then the
/// sum of its own part: 2 (k - 1) messages, 2 (k - 1) / k bytes.
Traffic direct_allreduce(const StridedRanks& group, double bytes, const LinkLevels& links);

/// An allreduce by halves, level by level: with u units of a level in one of the next, each rank sends
/// 2 log2 u messages and 2 (u - 1) / u of what it still has.
Traffic halving_allreduce(const StridedRanks& group, double bytes, const LinkLevels& links);

/// An allreduce in a ring: each rank sends 2 (k - 1) messages, 2 (k - 1) / k bytes, to the next one. The
/// traffic is that of a rank whose next one is farthest. If all such groups of ranks do the same at once,
/// only those whose next one is beyond a link use it: `stride` ranks share it at most.
Traffic ring_allreduce(const StridedRanks& group, double bytes, const LinkLevels& links);

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
