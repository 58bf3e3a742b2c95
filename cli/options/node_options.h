// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/file_limit.h"
#include "diagnostics/log.h"
#include "launcher/hosts/host.h"
#include "launcher/hosts/job_hosts.h"
#include "launcher/protocol/defaults.h"
#include "launcher/transport/command/command_presets.h"
#include "launcher/transport/connect.h"
#include "launcher/transport/ssh/config/ssh_options.h"

namespace CLI {
class App;
}

namespace adarun::cli {

enum class Via { ssh, local, slurm, command };

/// Which nodes to use, and how to reach them; common to all commands that connect to nodes.
struct NodeOptions {
  std::string hosts;
  std::string exclude;  ///< Hosts to remove from the list.
  Via via = Via::ssh;
  launcher::RemoteCommand command;                  ///< With Via::command: how to run a program on a node.
  const launcher::CommandPreset* preset = nullptr;  ///< That it is of; null: the user's own words.
  launcher::JobHosts
      job_hosts;         ///< Those of the batch job, where `hosts` is empty; Slurm and Flux have others.
  std::string via_note;  ///< What --via auto has chosen, in a line for the user; empty: it was not said.
  std::string agent;     ///< Path of adarun-agent on every node; empty: its path on this machine.
  std::chrono::milliseconds connect_timeout = launcher::default_connect_timeout;
  int fanout = launcher::default_fanout;
  launcher::SshOptions ssh;
  diagnostics::Log* log = nullptr;  ///< Log for messages about connecting; null: none.
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

/// The hosts of --hosts, else of the batch job, without those of --exclude. Throws Quit with exit_usage, also
/// for hosts that are not in the Slurm job with --via slurm, and for names that cannot be part of a command.
std::vector<launcher::Host> hosts_in(const NodeOptions& options);

/// The hosts' addresses, all looked up in parallel. With --via local, all are this machine. The name of a
/// host that is reached by a command is its address where it cannot be resolved here: the other nodes may
/// know it.
launcher::SshTargets targets_of(const std::vector<launcher::Host>& hosts, const NodeOptions& options);

/// How to reach each host: by SSH with user and port, else with port 0. With --via local, all are this
/// machine.
std::vector<launcher::SshPlace> places_of(const std::vector<launcher::Host>& hosts,
                                          const NodeOptions& options);

/// Looks up the hosts once. A host that cannot be found is not an error here; connecting to it reports it as
/// lost, with the reason.
launcher::SshTargets locate_each(const std::vector<launcher::Host>& hosts, const NodeOptions& options);

/// Logs which parts of the SSH configuration are not supported, and how each host is reached. `log` may be
/// null.
void say_targets(const std::vector<launcher::Host>& hosts, const launcher::SshTargets& targets,
                 diagnostics::Log* log);

/// Path of the agent program on each node.
std::string agent_of(const NodeOptions& options);

/// What stands for the placeholders of the command for this host.
launcher::CommandTarget command_target(const launcher::Host& host, const NodeOptions& options);

/// Starts connecting to `hosts`: to `targets` by SSH, by srun, by a command, or to agents on this machine.
/// Processes started here get the limit of open files that was in effect before `files`. `lease`: of the
/// conversations.
std::unique_ptr<launcher::Transport> connect(const NodeOptions& options, const launcher::SshTargets& targets,
                                             const std::vector<launcher::Host>& hosts,
                                             const base::FileLimit& files,
                                             std::chrono::milliseconds lease = launcher::default_lease);

}  // namespace adarun::cli
