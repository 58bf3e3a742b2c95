// SPDX-License-Identifier: Apache-2.0
#include "cli/session/failure_lines.h"

#include <algorithm>
#include <set>

#include "launcher/hosts/fold.h"

namespace adarun::cli {
namespace {

// Nodes with the same failure; no node: a failure with its own line.
struct FailureGroup {
  std::set<std::uint32_t> nodes;  ///< In the order of the job, not of the failures.
  std::string words;
};

FailureGroup failure_group(const launcher::Plan& plan, const launcher::Failure& failure) {
  if (!failure.node || failure.rank) return {{}, failure.message};
  const std::string& name = plan.nodes[*failure.node].host.name;
  const std::string head = name + ": ";
  if (!failure.message.starts_with(head)) return {{}, failure.message};
  return {{*failure.node}, failure.message.substr(head.size())};
}

}  // namespace

std::vector<std::string> failure_lines(const launcher::Plan& plan,
                                       const std::vector<launcher::Failure>& failures) {
  std::vector<FailureGroup> groups;
  for (const launcher::Failure& failure : failures) {
    FailureGroup group = failure_group(plan, failure);
    const auto alike = std::find_if(groups.begin(), groups.end(), [&group](const FailureGroup& each) {
      return !each.nodes.empty() && !group.nodes.empty() && each.words == group.words;
    });
    if (alike == groups.end()) {
      groups.push_back(std::move(group));
    } else {
      alike->nodes.merge(group.nodes);
    }
  }
  std::vector<std::string> lines;
  for (const FailureGroup& group : groups) {
    std::vector<std::string> names;
    for (const std::uint32_t node : group.nodes) names.push_back(plan.nodes[node].host.name);
    lines.push_back(names.empty() ? group.words : launcher::fold_names(names) + ": " + group.words);
  }
  return lines;
}

}  // namespace adarun::cli
