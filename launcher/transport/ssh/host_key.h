// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::launcher {

/// The public key of an sshd.
struct HostPublicKey {
  std::string kind;    ///< "ssh-ed25519"
  std::string base64;  ///< The key itself, as in a known_hosts file.

  bool operator==(const HostPublicKey&) const = default;
};

/// A key that a known_hosts file has for a host.
struct KnownKey {
  HostPublicKey key;
  std::string place;     ///< "FILE:LINE".
  bool revoked = false;  ///< Never to be accepted.

  bool operator==(const KnownKey&) const = default;
};

}  // namespace adarun::launcher
