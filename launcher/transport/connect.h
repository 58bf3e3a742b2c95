// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "launcher/file_limit.h"
#include "launcher/hosts/host.h"
#include "launcher/transport/agent_source.h"
#include "launcher/transport/ssh_options.h"
#include "launcher/transport/transport.h"

namespace adarun::launcher {

/// Hosts with where they are to be found.
struct SshTargets {
  std::vector<std::string> addresses;  ///< By which the other hosts reach each one, as text.

  struct Impl;
  std::shared_ptr<Impl> impl;

  std::vector<int> ports = {};          ///< Of their sshds.
  std::vector<std::string> notes = {};  ///< What of the SSH configuration is not followed, one sentence each.
};

/// Reads the SSH configuration of all hosts and resolves their names, all at once within `deadline`; connects
/// nothing. The name of a host behind a jump host is for that one to resolve, and is its address here. Throws
/// Error that names every host without an address.
SshTargets locate(const std::vector<Host>& hosts, const SshOptions& options,
                  std::chrono::milliseconds deadline);

/// Why each of the hosts has no address, in one line without its name; empty: it has one. Waits as `locate`.
std::vector<std::string> why_unknown(const std::vector<Host>& hosts, const SshOptions& options,
                                     std::chrono::milliseconds deadline);

/// One SSH session per target, all connecting at once, and in it the agent as `agent` says. Uses the targets
/// up.
std::unique_ptr<Transport> connect_ssh(const SshTargets& targets, AgentSource agent,
                                       const LinkOptions& options);

/// `nodes` agents on this machine, without SSH; their ranks get the limit of open files that the user had
/// before `files`.
std::unique_ptr<Transport> connect_local(std::size_t nodes, const std::string& agent,
                                         const LinkOptions& options, const FileLimit& files);

}  // namespace adarun::launcher
