// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/file_limit.h"
#include "diagnostics/log.h"
#include "launcher/hosts/host.h"
#include "launcher/protocol/defaults.h"
#include "launcher/transport/connect.h"
#include "launcher/transport/ssh/config/ssh_options.h"

namespace CLI {
class App;
}

namespace adarun::cli {

enum class Via { ssh, local, slurm };

/// Which nodes, and how to reach them: the same for every command that speaks to nodes.
struct NodeOptions {
  std::string hosts;
  std::string exclude;  ///< Hosts of the list that are left out.
  Via via = Via::ssh;
  std::string agent;  ///< Path of adarun-agent on every node; empty: where it lies here.
  std::chrono::milliseconds connect_timeout = launcher::default_connect_timeout;
  std::chrono::milliseconds lease = launcher::default_lease;
  int fanout = launcher::default_fanout;
  launcher::SshOptions ssh;
  diagnostics::Log* log = nullptr;  ///< Is told what happens on the way to the nodes; null: nobody is.
};

/// Adds --hosts and --exclude.
void add_host_list(CLI::App& command, NodeOptions& options);

/// Adds what says how to reach nodes: --via, --agent, --connect-timeout, --fanout and the options of SSH.
void add_node_options(CLI::App& command, NodeOptions& options);

/// Whether it is said which nodes: by --hosts, or by the Slurm job with --via slurm.
bool has_hosts(const NodeOptions& options);

/// The hosts of --hosts, or of the Slurm job where that says it, without those of --exclude. Throws Quit with
/// the status for wrong usage, also for hosts that are not of the Slurm job with --via slurm.
std::vector<launcher::Host> hosts_in(const NodeOptions& options);

/// Where the hosts are, all looked up at once. With --via local they are this machine.
launcher::SshTargets targets_of(const std::vector<launcher::Host>& hosts, const NodeOptions& options);

/// How each host is reached: by SSH with user and port, else with port 0; with --via local all of them are
/// this machine.
std::vector<launcher::SshPlace> places_of(const std::vector<launcher::Host>& hosts,
                                          const NodeOptions& options);

/// Looks the hosts up, once. One that cannot be found is lost, with its reason, when it is connected to.
launcher::SshTargets locate_each(const std::vector<launcher::Host>& hosts, const NodeOptions& options);

/// Tells `log`, where there is one, what of the SSH configuration is not followed, and how each host is
/// reached.
void say_targets(const std::vector<launcher::Host>& hosts, const launcher::SshTargets& targets,
                 diagnostics::Log* log);

/// The program to start on each node, where it is installed.
std::string agent_of(const NodeOptions& options);

/// Begins to connect to `hosts`: to `targets` by SSH, by srun, or to agents on this machine. What is started
/// here gets the limit of open files that the user had before `files`.
std::unique_ptr<launcher::Transport> connect(const NodeOptions& options, const launcher::SshTargets& targets,
                                             const std::vector<launcher::Host>& hosts,
                                             const base::FileLimit& files);

}  // namespace adarun::cli
