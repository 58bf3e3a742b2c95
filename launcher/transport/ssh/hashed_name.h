// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/sha.h>

#include <array>
#include <optional>
#include <string_view>

namespace adarun::launcher {

/// A name of a known_hosts file that was hashed, by `HashKnownHosts yes` or `ssh-keygen -H`: "|1|SALT|HASH",
/// the HMAC-SHA1 (RFC 2104) of the name with the salt as its key, both as base64. A file may have thousands
/// of lines, each to be compared with thousands of hosts: all that does not depend on the host is done once.
class HashedName {
 public:
  /// Nothing for a text in another format.
  static std::optional<HashedName> parse(std::string_view text);

  /// Whether this is the hash of `name`.
  bool is_of(std::string_view name) const;

 private:
  using Digest = std::array<unsigned char, SHA_DIGEST_LENGTH>;

  HashedName(const Digest& salt, const Digest& hash);

  SHA_CTX inner_{};  ///< After the block that the salt gives,
  SHA_CTX outer_{};  ///< and after the other one.
  Digest hash_{};
};

}  // namespace adarun::launcher
