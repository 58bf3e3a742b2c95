// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/file_limit.h"
#include "launcher/hosts/host.h"
#include "launcher/transport/agent_source.h"
#include "launcher/transport/command/remote_command.h"
#include "launcher/transport/loop/transport.h"
#include "launcher/transport/slurm/srun.h"
#include "launcher/transport/ssh/config/ssh_options.h"

namespace adarun::launcher {

struct LocatedHosts;

/// How a host is reached, from the SSH configuration and the resolver.
struct SshPlace {
  std::string user;
  int port = 22;
  std::string address;                 ///< By which the other hosts reach it; empty: none was found.
  std::string reason;                  ///< Why none was found, in one line without the host's name.
  std::vector<std::string> jumps;      ///< Jump hosts, the first one first.
  std::vector<std::string> addresses;  ///< All that the resolver returned; none behind a jump host.
};

/// Hosts and how to reach them.
struct SshTargets {
  std::vector<std::string> addresses;  ///< By which the other hosts reach each one, as text.

  std::shared_ptr<const LocatedHosts> located = {};  ///< How to connect to them.

  std::vector<std::string> notes = {};  ///< Lines of the SSH config that are not followed, one sentence each.
  std::vector<SshPlace> places = {};    ///< The same hosts in detail.
};

/// Reads the SSH configuration of all hosts and resolves their names, in parallel, within `deadline`; makes
/// no connection. The name of a host behind a jump host is resolved by the jump host, and is its address
/// here. Throws Error that names every host without an address.
SshTargets locate(const std::vector<Host>& hosts, const SshOptions& options,
                  std::chrono::milliseconds deadline);

/// The same, but a host without an address stays in the result: connecting to it fails for the reason of its
/// place.
SshTargets locate_each(const std::vector<Host>& hosts, const SshOptions& options,
                       std::chrono::milliseconds deadline);

/// Looks all hosts up as `locate_each` does. Throws Error if the configuration is invalid.
std::vector<SshPlace> look_up(const std::vector<Host>& hosts, const SshOptions& options,
                              std::chrono::milliseconds deadline);

/// One SSH session per target, `options.fanout` of them connecting at a time, and in each the agent as
/// `agent` says.
std::unique_ptr<Transport> connect_ssh(const SshTargets& targets, AgentSource agent,
                                       const LinkOptions& options);

/// `nodes` agents on this machine, without SSH; their ranks get the limit of open files that the user had
/// before `files` raised it.
std::unique_ptr<Transport> connect_local(std::size_t nodes, const std::string& agent,
                                         const LinkOptions& options, const base::FileLimit& files);

/// An agent on each node of the Slurm job that this process is part of, each over its own srun: `agent`,
/// which must be installed there, as none is uploaded. `files` must outlive the transport. Throws Error if
/// srun is not found.
std::unique_ptr<Transport> connect_slurm(const std::vector<SlurmNode>& nodes, AgentSource agent,
                                         const LinkOptions& options, const base::FileLimit& files);

/// `command` once per target, `options.fanout` of them starting at a time, and by each the agent as `agent`
/// says. `files` must outlive the transport. Throws Error if a host or user cannot be part of a command.
std::unique_ptr<Transport> connect_command(const RemoteCommand& command,
                                           const std::vector<CommandTarget>& targets, AgentSource agent,
                                           const LinkOptions& options, const base::FileLimit& files);

}  // namespace adarun::launcher
