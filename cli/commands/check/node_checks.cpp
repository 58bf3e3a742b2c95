// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check/node_checks.h"

#include <algorithm>
#include <utility>

#include "cli/arguments/node_options.h"
#include "cli/view/ask_hosts.h"
#include "launcher/probe/preflight.h"
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

}  // namespace

NodeChecks::NodeChecks(const LaunchOptions& options, launcher::Placement placement, std::string program)
    : options_(options),
      placement_(std::move(placement)),
      program_(std::move(program)),
      workdir_(path_on_nodes(options.workdir)) {}

std::vector<launcher::FoldedCheck> NodeChecks::run() {
  const std::vector<launcher::Host>& hosts = placement_.hosts;
  const launcher::Targets targets = options_.reach->locate(hosts, options_);
  const std::vector<std::string> sshds = sshds_of(targets);
  std::vector<launcher::Preflight> preflights;
  preflights.reserve(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i)
    preflights.emplace_back(
        launcher::PreflightOptions{workdir_, program_, {"/dev/shm", "/tmp"}, peers_of(i, sshds)});
  std::vector<launcher::NodeProbe*> probes;
  probes.reserve(preflights.size());
  for (launcher::Preflight& each : preflights) probes.push_back(&each);
  const std::vector<std::string> reasons = ask_hosts(hosts, targets, options_, probes).reasons;
  std::vector<std::string> names;
  std::vector<std::vector<launcher::Check>> checks;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    names.push_back(hosts[i].name);
    checks.push_back(reasons[i].empty() ? launcher::checks_of(preflights[i].facts(), wants_of(i))
                                        : launcher::checks_of_lost(reasons[i]));
  }
  return launcher::fold_checks(names, std::move(checks));
}

launcher::Wants NodeChecks::wants_of(std::size_t node) const {
  return {placement_.table.servers[node].devices.size(), table_address(options_, placement_, node), program_,
          workdir_};
}

std::string table_address(const LaunchOptions& options, const launcher::Placement& placement,
                          std::size_t node) {
  const std::string& id = placement.table.servers[node].server_id;
  const auto address = ranktable::parse_address(id);
  return !options.table_file.empty() && address ? ranktable::canonical(*address) : "";
}

}  // namespace adarun::cli
