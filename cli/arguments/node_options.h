// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/log/log.h"
#include "base/process.h"
#include "launcher/hosts/host.h"
#include "launcher/hosts/job_hosts.h"
#include "launcher/probe/card_sources.h"
#include "launcher/transport/reach/reach.h"
#include "launcher/transport/ssh/ssh_reach.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// Which nodes to use, and how to reach them; common to all commands that connect to nodes.
struct NodeOptions : launcher::ReachOptions {
  NodeOptions() { reach = launcher::ssh_reach(); }

  std::string hosts;
  std::string exclude;  ///< Hosts to remove from the list.
  launcher::JobHosts
      job_hosts;         ///< Those of the batch job, where `hosts` is empty; Slurm and Flux have others.
  std::string via_note;  ///< What --via auto has chosen, in a line for the user; empty: it was not said.
};

/// Adds --hosts and --exclude.
void add_host_list(CLI::App& command, NodeOptions& options);

/// Throws CLI::RequiresError for --exclude without hosts.
void require_hosts_to_exclude(const NodeOptions& options);

/// Says what --via auto has chosen.
void log_via_choice(const NodeOptions& options);

/// Adds the options for how to reach nodes: --via, --agent, --connect-timeout, --fanout and the SSH options.
/// Both are called by the command's parse_complete_callback(): one that replaces it calls them.
void add_node_options(CLI::App& command, NodeOptions& options);

/// Whether the nodes are given: by --hosts, or by the batch job that --via knows.
bool has_hosts(const NodeOptions& options);

/// The hosts of --hosts, else of the batch job, without those of --exclude. Throws ExitError with exit_usage,
/// also for hosts that are not in the Slurm job with --via slurm, and for names that cannot be part of a
/// command.
std::vector<launcher::Host> hosts_in(const NodeOptions& options);

/// Starts connecting to `hosts` by their Reach; what goes over the connections is logged.
std::unique_ptr<launcher::Transport> connect(const NodeOptions& options, const launcher::Targets& targets,
                                             const std::vector<launcher::Host>& hosts,
                                             const base::FileLimit& files);

/// Makes a user's path for the nodes absolute, because agents start in the login's home. A relative path is
/// relative to the current folder of adarun; an empty path is that folder.
std::string path_on_nodes(const std::string& path);

/// The same for a program, except that a name without '/' is unchanged: the node looks it up in PATH.
std::string program_on_nodes(const std::string& program);

/// The same for both sources of card addresses.
launcher::CardSources sources_on_nodes(launcher::CardSources sources);

}  // namespace adarun::cli
