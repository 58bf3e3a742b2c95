// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/transport/reach/ssh_options.h"
#include "launcher/transport/ssh/config/lines.h"

namespace adarun::launcher {

/// Algorithms in the syntax of ssh_config, with "+", "-" and "^"; empty: libssh's own.
struct AlgorithmList {
  std::string text;
  std::string line;  ///< Where the configuration says so: "FILE:LINE: KEYWORD "TEXT"".

  bool operator==(const AlgorithmList&) const = default;
};

/// How one host is reached by SSH: the result of command line, host list and configuration.
struct SshSettings {
  std::string hostname;  ///< With the config's HostName applied.
  int port = 22;
  std::string user;
  int family = 0;  ///< Of the addresses to try: AF_UNSPEC, AF_INET, AF_INET6.

  /// Private keys to try, or public ones whose private half ssh-agent has. Missing files are ignored.
  std::vector<std::string> identities;
  bool default_identities = false;  ///< None is named: they are those that OpenSSH tries then.
  bool identities_only = false;     ///< Use no other keys of ssh-agent.
  std::string agent_socket;         ///< Of ssh-agent; empty: there is none.

  HostKey host_key = HostKey::strict;
  std::string key_name;  ///< Its name in known_hosts: "host", "[host]:2222", or the HostKeyAlias.
  std::vector<std::string> user_known_hosts;    ///< A new key is added to the first one.
  std::vector<std::string> global_known_hosts;  ///< Only read.

  std::vector<std::string> jumps;  ///< Jump hosts, the first one first: "[user@]host[:port]".

  AlgorithmList key_exchange;
  AlgorithmList ciphers;
  AlgorithmList macs;
  AlgorithmList host_key_algorithms;
  AlgorithmList accepted_keys;
};

/// The settings that the lines selected for a host give; its own user and port override them. Throws Error,
/// naming file and line, for an invalid value and for a ProxyCommand.
SshSettings settings_from(const ConfigSelection& selection, const Host& host);

}  // namespace adarun::launcher
