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

/// The keys to log in with. Shared by hosts and never changed.
struct LoginKeys {
  std::string agent_socket;  ///< Of ssh-agent; empty: it is not asked.

  /// The only keys, as base64, that are used of ssh-agent; none: all that it has.
  std::optional<std::set<std::string>> agent_keys;

  std::vector<SshKey> keys;         ///< Private keys.
  std::vector<std::string> locked;  ///< Files whose key needs a passphrase.
};

/// Reads key files, each once. A process that has read a private key writes no core file from then on;
/// programs that it starts are not affected.
class KeyRing {
 public:
  /// The keys to log in to a host with. The file `required` ("": none) must hold a private key that needs no
  /// passphrase; others may be missing. Throws Error.
  std::shared_ptr<const LoginKeys> keys_for(const SshSettings& settings, const std::string& required);

 private:
  /// What a file holds.
  struct Identity {
    SshKey key;              ///< Null if there is none that needs no passphrase.
    std::string public_key;  ///< As base64; empty if it is not known.
    bool is_locked = false;  ///< There is a private key that needs a passphrase.
  };

  const Identity& identity(const std::string& file);
  static Identity read(const std::string& file);

  std::map<std::string, Identity> identities_;
  std::map<std::string, std::shared_ptr<const LoginKeys>> made_;
};

}  // namespace adarun::launcher
