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

/// The lines of files of known hosts, each file read once, so that asking for a host costs next to nothing.
/// Lines of certificate authorities are left out.
class KnownHosts {
 public:
  /// Whether a hashed entry ("|1|salt|hash") stands for a name.
  using MatchesHash = std::function<bool(const std::string& name, const std::string& line)>;

  /// How long reading a file may take, on a file system that is away.
  static constexpr std::chrono::seconds timeout{10};

  explicit KnownHosts(MatchesHash matches_hash, std::chrono::milliseconds most_time = timeout)
      : matches_hash_(std::move(matches_hash)), most_time_(most_time) {}

  /// The keys of a host, out of these files in their order. Files that are not there have none. Throws Error
  /// for one that cannot be read in time.
  std::vector<KnownKey> keys_of(const std::string& name, const std::vector<std::string>& files);

 private:
  struct PatternLine {
    std::vector<std::string> patterns;  ///< Empty: hashed.
    std::string hashed_line;
    KnownKey key;
  };
  struct ParsedFile {
    std::multimap<std::string, KnownKey> by_name;
    std::vector<PatternLine> others;  ///< That must be tried one by one.
  };

  ParsedFile read(const std::string& path) const;
  static void take_line(ParsedFile& file, std::string_view line, const std::string& place);

  MatchesHash matches_hash_;
  std::chrono::milliseconds most_time_;
  std::map<std::string, ParsedFile> files_;
};

/// The line for a key in a file of known hosts, with its end.
std::string known_hosts_line(const std::string& name, const HostPublicKey& key);

/// Adds a line to the end of a file, which is made where it is not there, and its folder too. Blocks as long
/// as the file system does. Throws Error.
void append_known_host(const std::string& file, const std::string& line);

}  // namespace adarun::launcher
