// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/build_facts.h"
#include "base/file_descriptor.h"
#include "launcher/transport/ssh/config/settings.h"
#include "launcher/transport/ssh/known_hosts.h"

struct ssh_session_struct;
struct ssh_key_struct;

namespace adarun::launcher {

/// libssh's default for keys of hosts and users without certificates, best first, separated by commas.
extern const std::string_view default_key_algorithms;

/// The list that `chosen` of an ssh configuration means: itself; with "+" it is appended to the defaults,
/// with "-" removed from them (patterns), with "^" put before them. Empty: no choice.
std::string chosen_algorithms(std::string_view chosen, std::string_view defaults);

/// The algorithms for host keys, those for the known types of key ("ssh-rsa") first.
std::string host_key_algorithms_for(const std::vector<std::string>& known_kinds);

/// Frees libssh's handles.
struct SshFree {
  void operator()(ssh_session_struct* session) const;
  void operator()(ssh_key_struct* key) const;
};
using SshSession = std::unique_ptr<ssh_session_struct, SshFree>;
using SshKey = std::shared_ptr<ssh_key_struct>;

/// Throws Error, naming file and line, for a list of which libssh knows no algorithm.
void require_known_algorithms(const SshSettings& settings);

/// A non-blocking session over a connected socket, on which nothing was sent yet. It reads no file. `known`:
/// the known types of the host's keys ("ssh-rsa"), which are requested before others. Throws Error.
SshSession make_session(const SshSettings& settings, const std::vector<std::string>& known,
                        base::FileDescriptor socket);

/// Makes its socket a non-blocking one again. Call after each ssh_connect(): libssh makes it a blocking one
/// once it finds it connected, whatever ssh_set_blocking() says, and then sends all that it holds in one
/// call, which returns for a node that is cut off only when TCP gives up (libssh 0.9 to 0.11,
/// ssh_socket_pollcallback).
void keep_from_blocking(ssh_session_struct* session);

/// The key that the server has presented in the key exchange. Throws Error.
HostPublicKey server_key(ssh_session_struct* session);

/// "SHA256:..." of that key.
std::string fingerprint(ssh_session_struct* session);

/// libssh's message for the last error.
std::string last_error(ssh_session_struct* session);

/// Why the other side has hung up, in its own words; "": it gave no reason.
std::string hang_up_reason(ssh_session_struct* session);

/// The version of libssh that this program runs with.
base::BuildFact ssh_library();

}  // namespace adarun::launcher
