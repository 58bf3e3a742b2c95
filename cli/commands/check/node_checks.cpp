// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check/node_checks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cli/arguments/command.h"
#include "cli/arguments/node_options.h"
#include "cli/view/ask_hosts.h"
#include "launcher/probe/preflight.h"
#include "launcher/supervisor/job_nodes.h"
#include "ranktable/model/address.h"

namespace adarun::cli {
namespace {

// The sshds a node should reach: those of node 0, where the ranks rendezvous, and of the next node.
std::vector<std::string> peers_of(std::size_t node, const std::vector<std::string>& sshds) {
  std::vector<std::string> peers;
  for (const std::size_t other : {std::size_t{0}, (node + 1) % sshds.size()}) {
    const std::string& peer = sshds[other];
    const bool is_new = std::find(peers.begin(), peers.end(), peer) == peers.end();
    if (other != node && !peer.empty() && is_new) peers.push_back(peer);
  }
  return peers;
}

launcher::Placement with_spares_as_hosts(const launcher::Placement& placement) {
  launcher::Placement all = placement;
  if (placement.spares.empty()) return all;
  std::vector<launcher::Host> hosts = placement.hosts;
  hosts.insert(hosts.end(), placement.spares.begin(), placement.spares.end());
  all = or_exit(exit_no, [&] { return launcher::place_on(hosts, placement, false); });
  all.spares.clear();
  return all;
}

using Reasons = std::map<std::string, std::string>;  // By name of node.

// Nodes on which something is wrong, but for connections between nodes: these fail on good nodes, too, while
// bad ones are there.
Reasons unfit_among(const std::vector<launcher::FoldedCheck>& checks) {
  Reasons by_itself;
  Reasons by_connection;
  for (const launcher::FoldedCheck& row : checks) {
    if (row.check.verdict != launcher::Verdict::wrong) continue;
    Reasons& reasons = row.check.subject == launcher::connection_subject ? by_connection : by_itself;
    for (const std::string& node : row.nodes)
      reasons.emplace(node, row.check.subject + ": " + row.check.found);
  }
  return by_itself.empty() ? by_connection : by_itself;
}

// Hosts of which AdaSum takes no rank: they can take the places of others later.
std::vector<launcher::Host> left_out_by(const launcher::Placement& placement,
                                        const std::vector<launcher::Host>& hosts) {
  std::vector<launcher::Host> left_out;
  for (const launcher::Host& host : hosts)
    if (std::ranges::find(placement.hosts, host.name, &launcher::Host::name) == placement.hosts.end())
      left_out.push_back(host);
  return left_out;
}

launcher::Placement without(const Reasons& unfit, const launcher::Placement& placement, std::size_t min_nodes,
                            bool adasum) {
  launcher::Membership membership(placement.hosts, placement.spares, min_nodes);
  const auto is_fit = [&](std::uint32_t node) { return unfit.count(membership.all()[node].name) == 0; };
  if (!membership.renew(is_fit))
    throw ExitError(exit_could_not_start, "too few nodes are left: the job needs " +
                                              std::to_string(min_nodes) + "; nothing was started");
  std::vector<launcher::Host> hosts;
  for (const std::uint32_t node : membership.members()) hosts.push_back(membership.all()[node]);
  launcher::Placement fit = or_exit(exit_no, [&] { return launcher::place_on(hosts, placement, adasum); });
  fit.spares = left_out_by(fit, hosts);
  for (const std::uint32_t node : membership.spares()) fit.spares.push_back(membership.all()[node]);
  return fit;
}

}  // namespace

std::vector<launcher::FoldedCheck> check_nodes(const LaunchOptions& options,
                                               const launcher::Placement& placement,
                                               const std::string& program) {
  const std::string workdir = path_on_nodes(options.workdir);
  const std::vector<launcher::Host>& hosts = placement.hosts;
  const launcher::Targets targets = options.reach->locate(hosts, options);
  const std::vector<std::string> sshds = sshds_of(targets);
  std::vector<launcher::Preflight> preflights;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    preflights.emplace_back(
        launcher::PreflightOptions{workdir, program, {"/dev/shm", "/tmp"}, peers_of(i, sshds)});
  const std::vector<std::string> reasons = ask_hosts(hosts, targets, options, pointers_to(preflights));
  std::vector<std::string> names;
  std::vector<std::vector<launcher::Check>> checks;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    names.push_back(hosts[i].name);
    const launcher::JobRequirements wanted{placement.table.servers[i].devices.size(),
                                           table_address(options, placement, i), program, workdir};
    checks.push_back(reasons[i].empty() ? launcher::checks_of(preflights[i].facts(), wanted)
                                        : launcher::checks_of_lost(reasons[i]));
  }
  return launcher::fold_checks(names, std::move(checks));
}

std::string table_address(const LaunchOptions& options, const launcher::Placement& placement,
                          std::size_t node) {
  const std::string& id = placement.table.servers[node].server_id;
  const auto address = ranktable::parse_address(id);
  return !options.table_file.empty() && address ? ranktable::canonical(*address) : "";
}

launcher::Placement fit_nodes(const LaunchOptions& options, const launcher::Placement& placement,
                              const std::string& program) {
  const std::size_t min_nodes = options.spares.min_nodes.value_or(placement.hosts.size());
  launcher::Placement fit = placement;
  while (true) {
    const Reasons unfit = unfit_among(check_nodes(options, with_spares_as_hosts(fit), program));
    if (unfit.empty()) return fit;
    for (const auto& [node, why] : unfit)
      options.log->warning(node + ": " + why + "; it is left out (--exclude-on check)");
    fit = without(unfit, fit, min_nodes, options.adasum);
  }
}

}  // namespace adarun::cli
