// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check/links.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/describe.h"
#include "base/random_digits.h"
#include "cli/arguments/placement.h"
#include "cli/commands/check/node_checks.h"
#include "cli/console/terminal.h"
#include "cli/view/ask_hosts.h"
#include "launcher/links/link_measurement.h"

namespace adarun::cli {
namespace {

// At which the other nodes reach a node: as the table says, else as its name resolves.
std::string address_of(const LaunchOptions& options, const launcher::Placement& placement,
                       const launcher::Targets& targets, std::size_t node) {
  if (options.reach->is_local()) return "127.0.0.1";
  const std::string in_table = table_address(options, placement, node);
  return in_table.empty() ? targets.addresses[node] : in_table;
}

// The super pod of each node; empty: the table has none.
std::vector<std::size_t> pods_of(const ranktable::Table& table) {
  if (table.super_pods.empty()) return {};
  std::vector<std::size_t> pods(table.servers.size(), table.super_pods.size());
  for (std::size_t pod = 0; pod < table.super_pods.size(); ++pod) {
    for (const ranktable::SuperPodMember& member : table.super_pods[pod].servers) {
      for (std::size_t i = 0; i < pods.size(); ++i) {
        if (table.servers[i].server_id == member.server_id) pods[i] = pod;
      }
    }
  }
  return pods;
}

std::string progress_line(const launcher::LinkMeasurement& measurement,
                          const launcher::ProbeProgress& progress) {
  return "adarun: measuring: " + progress_bar(measurement.step(), measurement.steps()) + " " +
         std::to_string(progress.connected) + " of " + base::counted(progress.nodes, "node") +
         " connected, step " + std::to_string(measurement.step()) + " of " +
         std::to_string(measurement.steps());
}

}  // namespace

CheckedLinks check_links(const LaunchOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const launcher::Placement placement = place(options, [](std::vector<launcher::Host>&) {});
  const std::vector<launcher::Host>& hosts = placement.hosts;
  const launcher::Targets targets = options.reach->locate(hosts, options);
  CheckedLinks checked;
  std::vector<launcher::LinkNode> nodes;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    checked.names.push_back(hosts[i].name);
    checked.addresses.push_back(address_of(options, placement, targets, i));
    nodes.push_back({checked.addresses.back(), placement.table.servers[i].devices.size()});
  }
  launcher::LinkMeasurement measurement(std::move(nodes), base::random_digits());
  std::vector<launcher::LinkProbe> link_probes;
  link_probes.reserve(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) link_probes.emplace_back(measurement, i);
  const auto line = [&measurement](const launcher::ProbeProgress& progress) {
    return progress_line(measurement, progress);
  };
  const std::vector<std::string> reasons =
      ask_hosts(hosts, targets, options, pointers_to(link_probes), line).reasons;
  checked.report = measurement.report();
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!reasons[i].empty()) checked.report.reasons[i] = reasons[i];
  }
  std::sort(checked.report.links.begin(), checked.report.links.end(),
            [](const auto& a, const auto& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  checked.levels = launcher::levels_of(checked.report, pods_of(placement.table));
  checked.findings = launcher::findings_of(checked.report, checked.names);
  checked.time =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  return checked;
}

}  // namespace adarun::cli
