// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/transport/ssh/config/selection.h"
#include "launcher/transport/ssh/config/ssh_options.h"

namespace adarun::launcher {

/// How one host is reached by SSH: what command line, host list and configuration say, put together.
struct SshSettings {
  std::string hostname;  ///< After the config's HostName.
  int port = 22;
  std::string user;
  int family = 0;  ///< Of the addresses to try, as AF_UNSPEC, AF_INET, AF_INET6.

  /// Private keys to try, or public ones that ssh-agent has the other half of. Files that are not there do no
  /// harm.
  std::vector<std::string> identities;
  bool identities_only = false;  ///< Nothing else of what ssh-agent has.
  std::string agent_socket;      ///< Of ssh-agent; empty: there is none.

  HostKey host_key = HostKey::strict;
  std::string key_name;  ///< Under which its host key is known: "host", "[host]:2222", or the HostKeyAlias.
  std::vector<std::string> user_known_hosts;    ///< A new key is added to the first one.
  std::vector<std::string> global_known_hosts;  ///< Are only read.

  std::vector<std::string> jumps;  ///< Hosts to go through, the first one first: "[user@]host[:port]".

  /// Lists of algorithms as ssh_config has them, "+", "-" and "^" included; empty: libssh's own.
  std::string key_exchange;
  std::string ciphers;
  std::string macs;
  std::string host_key_algorithms;
  std::string accepted_keys;

  bool operator==(const SshSettings&) const = default;
};

/// What the lines that hold for a host make of it; its own user and port win. Throws Error, naming file and
/// line, for a value that makes no sense and for a ProxyCommand.
SshSettings settings_from(const ConfigSelection& selection, const Host& host);

}  // namespace adarun::launcher
