// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace adarun::planner {

/// What one option costs.
struct StrategyCost {
  double seconds = 0;
  double bytes = 0;
  double workspace = 0;  ///< Bytes beside these, for a while: the nodes have theirs one after the other.
};

/// A choice of one option for each node of a graph: the options cost what they cost by themselves, and time
/// between each two nodes that an edge joins.
struct Choice {
  struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    std::vector<std::vector<double>> seconds;  ///< [option of from][option of to]
  };

  std::vector<std::vector<StrategyCost>> nodes;
  std::vector<Edge> edges;
  /// The bytes of all nodes and the largest workspace may not be more together.
  double most_bytes = std::numeric_limits<double>::infinity();
};

/// A number of an option for each node, and what they cost together.
struct Assignment {
  std::vector<std::size_t> options;
  double seconds = 0;
  double bytes = 0;  ///< With the largest workspace.
};

/// The time and bytes of these options.
Assignment cost_of(const Choice& choice, std::vector<std::size_t> options);

/// The options that need least bytes.
Assignment smallest(const Choice& choice);

/// The fastest options within the bytes, found by taking out one node after the other (after OptCNN, Jia et
/// al., "Exploring Hidden Dimensions in Parallelizing Convolutional Neural Networks", 2018, whose nodes have
/// two edges at most): for all options of its neighbours, those of the node that may be best. Exact, for any
/// graph. Nothing if no options fit. Time: for a chain of n nodes with k options, n k^2, and some hundred
/// times that if the bytes are tight, where a price of a byte (Lagrange's relaxation of the limit) tells
/// which sums are part of nothing best; and this for each range of workspaces in which a faster plan may be:
/// one or a few, at most twice as many as there are workspaces. Where more sums are left than can be looked
/// at in a minute or so, the fastest options that were met at one of the prices. Throws Error for graphs
/// where too many nodes would have to be chosen together.
std::optional<Assignment> eliminate(const Choice& choice);

/// The same, by trying all; for tests and for small graphs. Time: k^n.
std::optional<Assignment> try_all(const Choice& choice);

/// How many combinations try_all() tries.
double combinations(const Choice& choice);

}  // namespace adarun::planner
