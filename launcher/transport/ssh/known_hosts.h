// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/sha.h>

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// The entries of known_hosts files, each file read once, so that a lookup is cheap: of the lines with hashed
/// names, of which each must be compared, those alone whose name no lookup has found yet. Lines of
/// certificate authorities are left out.
class KnownHosts {
 public:
  /// Whether a hashed name is that of `name`.
  using MatchesHash = std::function<bool(const HashedName& hashed, std::string_view name)>;

  /// How long reading a file may take, as its file system may be unreachable.
  static constexpr std::chrono::seconds timeout{10};

  explicit KnownHosts(std::chrono::milliseconds most_time = timeout,
                      MatchesHash matches_hash = &HashedName::is_of)
      : most_time_(most_time), matches_hash_(std::move(matches_hash)) {}

  /// The keys of a host, from these files in their order. Missing files have none. Throws Error for one that
  /// cannot be read in time.
  std::vector<KnownKey> keys_of(const std::string& name, const std::vector<std::string>& files);

 private:
  struct HashedLine {
    HashedName name;
    KnownKey key;
  };
  struct PatternLine {
    std::vector<std::string> patterns;
    KnownKey key;
  };
  struct ParsedFile {
    std::multimap<std::string, KnownKey> by_name;
    std::vector<HashedLine> hashed;  ///< Whose names are not known yet.
    std::vector<PatternLine> patterns;
  };

  ParsedFile read(const std::string& path) const;
  void find_hashed(ParsedFile& file, const std::string& name) const;
  static void take_line(ParsedFile& file, std::string_view line, const std::string& place);

  std::chrono::milliseconds most_time_;
  MatchesHash matches_hash_;
  std::map<std::string, ParsedFile> files_;
};

/// Appends the line for the key of a host to a file; creates the file and its folder if they are missing.
/// Blocks as long as the file system does. Throws Error.
void append_known_host(const std::string& file, const std::string& name, const HostPublicKey& key);

}  // namespace adarun::launcher
