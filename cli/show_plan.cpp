// SPDX-License-Identifier: Apache-2.0
#include "cli/show_plan.h"

#include <cstdio>

#include "launcher/shell_word.h"

namespace adarun::cli {

namespace {

void print_variable(const std::string& variable) {
  const std::size_t equals = variable.find('=');
  std::printf(" %s=%s", variable.substr(0, equals).c_str(),
              launcher::shell_word(variable.substr(equals + 1)).c_str());
}

}  // namespace

void show_plan(const launcher::Plan& plan, const std::string& agent) {
  std::printf("job %s: %zu ranks on %zu nodes\n", plan.job_id.c_str(), plan.world_size(), plan.nodes.size());
  for (const launcher::NodePlan& node : plan.nodes) {
    std::printf("\n%s: %s\n", node.host.name.c_str(), agent.c_str());
    for (const wire::RankPart& rank : node.start.ranks) {
      std::printf("  rank %u: cd %s &&", rank.rank, launcher::shell_word(rank.workdir).c_str());
      for (const std::string& variable : rank.defaults) print_variable(variable);
      for (const std::string& variable : rank.environment) print_variable(variable);
      for (const std::string& argument : rank.argv)
        std::printf(" %s", launcher::shell_word(argument).c_str());
      std::printf("\n");
    }
  }
}

}  // namespace adarun::cli
