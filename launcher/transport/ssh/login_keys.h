// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/transport/ssh/config/settings.h"
#include "launcher/transport/ssh/ssh_session.h"

namespace adarun::launcher {

/// What to log in with. Hosts share it: nothing in it changes.
struct LoginKeys {
  std::string agent_socket;  ///< Of ssh-agent; empty: it is not asked.

  /// The keys, as base64, that alone are taken from ssh-agent; none: whatever it has.
  std::optional<std::set<std::string>> agent_keys;

  std::vector<SshKey> keys;         ///< Private ones.
  std::vector<std::string> locked;  ///< Files whose key does not open without a passphrase.
};

/// Reads key files, each once. A process that has read a private key writes no core file any more; programs
/// that it starts do as before.
class KeyRing {
 public:
  /// What a host is to be logged in to with. The file `required` ("": none) must hold a private key that
  /// opens; others may be missing. Throws Error.
  std::shared_ptr<const LoginKeys> keys_for(const SshSettings& settings, const std::string& required);

 private:
  /// What a file holds.
  struct Identity {
    SshKey key;              ///< Null where there is none that opens.
    std::string public_key;  ///< As base64; empty where it is not known.
    bool is_locked = false;  ///< There is a private key that needs a passphrase.
  };

  const Identity& identity(const std::string& file);
  static Identity read(const std::string& file);

  std::map<std::string, Identity> identities_;
  std::map<std::string, std::shared_ptr<const LoginKeys>> made_;
};

}  // namespace adarun::launcher
