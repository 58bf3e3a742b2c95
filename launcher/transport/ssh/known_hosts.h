// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/transport/ssh/host_key.h"

namespace adarun::launcher {

/// The entries of known_hosts files, each file read once, so that a lookup is cheap. Lines of certificate
/// authorities are left out.
class KnownHosts {
 public:
  /// Whether a hashed entry ("|1|salt|hash") matches a name.
  using MatchesHash = std::function<bool(const std::string& name, const std::string& line)>;

  /// How long reading a file may take, as its file system may be unreachable.
  static constexpr std::chrono::seconds timeout{10};

  explicit KnownHosts(MatchesHash matches_hash, std::chrono::milliseconds most_time = timeout)
      : matches_hash_(std::move(matches_hash)), most_time_(most_time) {}

  /// The keys of a host, from these files in their order. Missing files have none. Throws Error for one that
  /// cannot be read in time.
  std::vector<KnownKey> keys_of(const std::string& name, const std::vector<std::string>& files);

 private:
  struct PatternLine {
    std::vector<std::string> patterns;  ///< Empty: hashed.
    std::string hashed_line;
    KnownKey key;
  };
  struct ParsedFile {
    std::multimap<std::string, KnownKey> by_name;
    std::vector<PatternLine> others;  ///< To be compared one by one.
  };

  ParsedFile read(const std::string& path) const;
  static void take_line(ParsedFile& file, std::string_view line, const std::string& place);

  MatchesHash matches_hash_;
  std::chrono::milliseconds most_time_;
  std::map<std::string, ParsedFile> files_;
};

/// The line for a key in a known_hosts file, with its end.
std::string known_hosts_line(const std::string& name, const HostPublicKey& key);

/// Appends a line to a file; creates the file and its folder if they are missing. Blocks as long as the file
/// system does. Throws Error.
void append_known_host(const std::string& file, const std::string& line);

}  // namespace adarun::launcher
