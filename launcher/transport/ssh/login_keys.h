// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/transport/ssh/config/settings.h"
#include "launcher/transport/ssh/ssh_session.h"

namespace adarun::launcher {

/// A private key.
struct LoginKey {
  SshKey key;
  std::string public_key;  ///< As base64.
};

/// The keys to log in with. Shared by hosts and never changed.
struct LoginKeys {
  std::string agent_socket;  ///< Of ssh-agent; empty: it is not asked.

  /// The public keys of the identity files, as base64, in the order of the files: those of them that
  /// ssh-agent has are offered before its others, of which none is with `identities_only`.
  std::vector<std::string> named;
  bool identities_only = false;

  std::vector<LoginKey> keys;       ///< Of files; offered once those of ssh-agent were.
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
