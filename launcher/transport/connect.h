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
#include "launcher/transport/loop/transport.h"
#include "launcher/transport/slurm/srun.h"
#include "launcher/transport/ssh/config/ssh_options.h"

namespace adarun::launcher {

struct LocatedHosts;

/// How a host is reached, after the SSH configuration and the resolver.
struct SshPlace {
  std::string user;
  int port = 22;
  std::string address;                 ///< By which the other hosts reach it; empty: none was found.
  std::string reason;                  ///< Why none was, in one line without its name.
  std::vector<std::string> jumps;      ///< Hosts to go through, the first one first.
  std::vector<std::string> addresses;  ///< All that the resolver has; none behind a jump host.
};

/// Hosts with where they are to be found.
struct SshTargets {
  std::vector<std::string> addresses;  ///< By which the other hosts reach each one, as text.

  std::shared_ptr<const LocatedHosts> located = {};  ///< How to connect to them.

  std::vector<std::string> notes = {};  ///< What of the SSH configuration is not followed, one sentence each.
  std::vector<SshPlace> places = {};    ///< The same hosts in full.
};

/// Reads the SSH configuration of all hosts and resolves their names, all at once within `deadline`; connects
/// nothing. The name of a host behind a jump host is for that one to resolve, and is its address here. Throws
/// Error that names every host without an address.
SshTargets locate(const std::vector<Host>& hosts, const SshOptions& options,
                  std::chrono::milliseconds deadline);

/// The same; a host without an address is one that cannot be connected to, for the reason of its place.
SshTargets locate_each(const std::vector<Host>& hosts, const SshOptions& options,
                       std::chrono::milliseconds deadline);

/// Looks all hosts up, as `locate` does, and connects nothing. Throws Error where the configuration is unfit.
std::vector<SshPlace> look_up(const std::vector<Host>& hosts, const SshOptions& options,
                              std::chrono::milliseconds deadline);

/// One SSH session per target, all connecting at once, and in it the agent as `agent` says.
std::unique_ptr<Transport> connect_ssh(const SshTargets& targets, AgentSource agent,
                                       const LinkOptions& options);

/// `nodes` agents on this machine, without SSH; their ranks get the limit of open files that the user had
/// before `files`.
std::unique_ptr<Transport> connect_local(std::size_t nodes, const std::string& agent,
                                         const LinkOptions& options, const base::FileLimit& files);

/// An agent on each node of the Slurm job that this process is part of, each over an srun of its own; `agent`
/// is its path there. `files` outlives the transport. Throws Error where srun is not found.
std::unique_ptr<Transport> connect_slurm(const std::vector<SlurmNode>& nodes, const std::string& agent,
                                         const LinkOptions& options, const base::FileLimit& files);

}  // namespace adarun::launcher
