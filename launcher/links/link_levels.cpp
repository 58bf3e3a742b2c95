// SPDX-License-Identifier: Apache-2.0
#include "launcher/links/link_levels.h"

#include "base/median.h"

namespace adarun::launcher {
namespace {

void add_level(std::vector<LevelCosts>& levels, const std::string& name,
               const std::vector<LinkCosts>& links) {
  if (links.empty()) return;
  std::vector<double> messages;
  std::vector<double> rates;
  for (const LinkCosts& link : links) {
    messages.push_back(link.message_s);
    rates.push_back(link.bytes_per_s);
  }
  levels.push_back({name, links.size(), {base::median(messages), base::median(rates)}});
}

}  // namespace

std::vector<LevelCosts> levels_of(const LinkReport& report, const std::vector<std::size_t>& pods) {
  std::vector<LinkCosts> of_node;
  std::vector<LinkCosts> of_pod;
  std::vector<LinkCosts> of_cluster;
  for (const auto& speed : report.speeds) {
    if (speed) of_node.push_back(speed->numa_nodes.value_or(speed->cores));
  }
  for (const MeasuredLink& link : report.links) {
    const bool in_pod = !pods.empty() && pods.at(link.from) == pods.at(link.to);
    if (link.reason.empty()) (in_pod ? of_pod : of_cluster).push_back(link.costs);
  }
  std::vector<LevelCosts> levels;
  add_level(levels, "node", of_node);
  add_level(levels, "pod", of_pod);
  add_level(levels, "cluster", of_cluster);
  return levels;
}

}  // namespace adarun::launcher
