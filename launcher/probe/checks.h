// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/probe/preflight.h"

namespace adarun::launcher {

enum class Verdict { good, doubtful, wrong };

/// "ok", "warning", "wrong".
const char* name_of(Verdict verdict);

/// Result of one check on one node.
struct Check {
  std::string subject;  ///< "memory"
  std::string found;    ///< "23.5 GiB"
  Verdict verdict = Verdict::good;
  std::string mend;  ///< How to fix it, if it is not good.

  bool operator==(const Check&) const = default;
};

/// The subject of the check that nodes reach each other.
inline constexpr const char* connection_subject = "TCP";

/// What a job needs from a node.
struct JobRequirements {
  std::size_t ranks = 1;  ///< Number of ranks on this node.
  std::string address;    ///< The node's address in the rank table; empty: none.
  std::string program;    ///< What the ranks run; empty: not known.
  std::string workdir;    ///< The folder they start in.
};

/// All checks of a node, in display order.
std::vector<Check> checks_of(const NodeFacts& facts, const JobRequirements& wants);

/// The checks of a node that could not be reached.
std::vector<Check> checks_of_lost(const std::string& reason);

/// One result, and the nodes that share it.
struct FoldedCheck {
  Check check;
  std::vector<std::string> nodes;
};

/// Merges equal checks of several nodes; `checks[i]` are those of `nodes[i]`. Ordered by subject, in the
/// order of the first node with it. What should be the same everywhere (libraries, kernel, CPUs) but is
/// not becomes doubtful on the nodes that differ from the majority.
std::vector<FoldedCheck> fold_checks(const std::vector<std::string>& nodes,
                                     std::vector<std::vector<Check>> checks);

}  // namespace adarun::launcher
