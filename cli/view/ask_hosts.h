// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/arguments/launch_options.h"
#include "cli/arguments/node_options.h"
#include "launcher/hosts/host.h"
#include "launcher/probe/probe_session.h"

namespace adarun::cli {

/// To hand over probes, of which the caller has a vector or deque.
template <typename Probes>
std::vector<launcher::NodeProbe*> pointers_to(Probes& probes) {
  std::vector<launcher::NodeProbe*> pointers;
  for (auto& probe : probes) pointers.push_back(&probe);
  return pointers;
}

/// The line that shows progress on a terminal; may be empty: none is shown.
using ProbeLine = std::function<std::string(const launcher::ProbeProgress&)>;

/// How many nodes have connected, are done and have failed.
std::string probe_line(const launcher::ProbeProgress& progress);

/// Runs probe i on host i, all in parallel; on a terminal, shows progress on stderr. `targets`: where their
/// Reach has located the hosts. Returns, in the order of the hosts, why each failed, without its name: that
/// its name does not resolve, for one; empty: it did not.
std::vector<std::string> ask_hosts(const std::vector<launcher::Host>& hosts, const launcher::Targets& targets,
                                   const NodeOptions& options,
                                   const std::vector<launcher::NodeProbe*>& probes,
                                   const ProbeLine& line = probe_line);

/// Address and port of each host's sshd for other hosts, "ADDRESS PORT"; "" if its name does not resolve, and
/// where hosts are not reached by SSH.
std::vector<std::string> sshds_of(const launcher::Targets& targets);

/// Runs a probe on this server, by a local agent. Throws launcher::Error with the reason if it fails.
void ask_here(launcher::NodeProbe& probe);

/// If any host failed, throws ExitError with `status` that names every failed host; hosts with the same
/// reason share a line. `consequence`: what was therefore not done, such as "nothing was written".
void require_all(const std::vector<launcher::Host>& hosts, const std::vector<std::string>& reasons,
                 int status, const std::string& consequence);

/// Asks hosts for the devices that their list leaves to them (`asked_kind`), over connections of their own
/// that end before the job begins, and sets them. Throws ExitError: with exit_usage for a dry run, unless all
/// ranks run on this machine; with exit_could_not_start if a host does not answer or has none.
void ask_devices(std::vector<launcher::Host>& hosts, const LaunchOptions& options);

}  // namespace adarun::cli
