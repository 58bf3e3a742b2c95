// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/probe/node_facts.h"

namespace adarun::launcher {

enum class Verdict { good, doubtful, wrong };

/// "ok", "warning", "wrong".
const char* name_of(Verdict verdict);

/// One thing that was looked at on one node.
struct Check {
  std::string subject;  ///< "memory"
  std::string found;    ///< "23.5 GiB"
  Verdict verdict = Verdict::good;
  std::string mend;  ///< What to do, where it is not good.

  bool operator==(const Check&) const = default;
};

/// What a job wants of a node.
struct Wants {
  std::size_t ranks = 1;  ///< How many run on it.
  std::string address;    ///< Which the rank table says is the node's; empty: it says none.
  std::string program;    ///< What they run; empty: not known.
  std::string workdir;    ///< Where they start.
};

/// Everything that is to be said of a node, in the order in which it is shown.
std::vector<Check> checks_of(const NodeFacts& facts, const Wants& wants);

/// The checks of a node that could not be asked.
std::vector<Check> checks_of_lost(const std::string& reason);

/// The same thing found on several nodes.
struct FoldedCheck {
  Check check;
  std::vector<std::string> nodes;
};

/// `checks[i]` are those of `nodes[i]`: equal ones put together, by subject in the order of the first node
/// that has it. What ought to be the same everywhere (libraries, kernel, CPUs) and is not becomes doubtful on
/// the nodes that differ from most.
std::vector<FoldedCheck> fold_checks(const std::vector<std::string>& nodes,
                                     std::vector<std::vector<Check>> checks);

}  // namespace adarun::launcher
