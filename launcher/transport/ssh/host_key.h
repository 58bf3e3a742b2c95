// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::launcher {

/// The public key of an sshd.
struct HostPublicKey {
  std::string kind;    ///< "ssh-ed25519"
  std::string base64;  ///< What stands behind it in a known_hosts file.

  bool operator==(const HostPublicKey&) const = default;
};

/// A key that a file of known hosts has for a host.
struct KnownKey {
  HostPublicKey key;
  std::string place;     ///< "FILE:LINE".
  bool revoked = false;  ///< Never to be accepted.

  bool operator==(const KnownKey&) const = default;
};

/// What is known of the key that a host has shown.
struct KeyVerdict {
  enum class What { known, unknown, changed, other_kind, revoked };
  What what = What::unknown;
  std::string place;  ///< Of the line that says so; empty: there is none.

  bool operator==(const KeyVerdict&) const = default;
};

/// Holds a key against those that are known for its host.
KeyVerdict judge(const std::vector<KnownKey>& known, const HostPublicKey& shown);

}  // namespace adarun::launcher
