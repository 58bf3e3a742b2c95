// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/node_options.h"
#include "launcher/hosts/host.h"
#include "launcher/probe/node_probe.h"

namespace adarun::cli {

/// What came of asking hosts, each in the order of the hosts.
struct AskedHosts {
  std::vector<std::string> addresses;  ///< By which other hosts reach each one; its name with --via local.
  std::vector<std::string> reasons;    ///< Why it failed, without its name; empty: it did not.
};

/// Holds probe i with host i, all at once; on a terminal, a line on stderr shows how far that is. A name
/// that does not resolve is a reason like any other.
AskedHosts ask_hosts(const std::vector<launcher::Host>& hosts, const NodeOptions& options,
                     const std::vector<launcher::NodeProbe*>& probes);

/// The same for hosts that are located already (see locate_each in cli/options/node_options.h).
AskedHosts ask_hosts(const std::vector<launcher::Host>& hosts, const launcher::SshTargets& targets,
                     const NodeOptions& options, const std::vector<launcher::NodeProbe*>& probes);

/// The sshd of each host as other hosts reach it, "ADDRESS PORT"; "" where its name does not resolve, and
/// with --via local.
std::vector<std::string> sshds_of(const launcher::SshTargets& targets, const NodeOptions& options);

/// Holds a probe with this server, by an agent beside this program. Throws launcher::Error with the
/// reason where it fails.
void ask_here(launcher::NodeProbe& probe);

/// Throws Quit with `status`, naming every host that failed, where there is one; hosts with the same reason
/// on one line. `consequence`: what has therefore not happened, such as "nothing was written".
void require_all(const std::vector<launcher::Host>& hosts, const std::vector<std::string>& reasons,
                 int status, const std::string& consequence);

}  // namespace adarun::cli
