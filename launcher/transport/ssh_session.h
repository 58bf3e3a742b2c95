// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "launcher/hosts/host.h"
#include "launcher/transport/ssh_options.h"

struct ssh_session_struct;
struct ssh_key_struct;
struct ssh_channel_struct;

namespace adarun::launcher {

/// Frees libssh's handles.
struct SshFree {
  void operator()(ssh_session_struct* session) const;
  void operator()(ssh_key_struct* key) const;
};
using SshSession = std::unique_ptr<ssh_session_struct, SshFree>;
using SshKey = std::shared_ptr<ssh_key_struct>;

/// A private key for all sessions to share; none where `file` is empty. Throws Error naming the file.
SshKey load_key(const std::string& file);

/// Where a session has to connect.
struct SshAddress {
  std::string hostname;  ///< After the config's HostName.
  int port = 22;
};

/// A non-blocking session for `host`, the config file applied; nothing is connected. What the host list says
/// wins over `options`, which win over the config file. Throws Error.
SshSession make_session(const Host& host, const SshOptions& options);
SshAddress address_of(ssh_session_struct* session);

/// Throws Error unless the server's key is the one known for it (or is unknown, and `policy` takes it).
void check_host_key(ssh_session_struct* session, HostKey policy);

/// libssh's own words on what went wrong last.
std::string last_error(ssh_session_struct* session);

}  // namespace adarun::launcher
