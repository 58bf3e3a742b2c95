// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/protocol/files.h"

namespace adarun::launcher::agent {

/// Finds the regular files that match patterns. A pattern is a path, absolute or below the current folder,
/// whose parts may hold `*`, `?` and `[...]` as in a shell; a folder stands for all files in and below it. A
/// symbolic link is followed only if the pattern names it literally as an inner part. Any other link is left
/// out, because it may point to files that its owner cannot read. Devices, sockets and pipes are left out
/// without being opened.
class FileWalk {
 public:
  /// The search gives up after this many folder entries.
  static constexpr std::uint64_t most_names = 2'000'000;

  /// How many of them one step takes at most.
  static constexpr int names_per_step = 64;

  explicit FileWalk(const protocol::Find& find);

  /// Does the next step; false when the search is over.
  bool advance();

  /// The result, after advance() returned false. A refusal comes without files.
  protocol::FileListing take();

 private:
  /// A folder to search, or a path to examine if no part of the pattern is left.
  struct Place {
    std::string path;  ///< Empty: the current folder.
    std::size_t pattern = 0;
    std::size_t part = 0;    ///< The next part of the pattern, to be matched in `path`.
    bool is_inside = false;  ///< `path` is a folder of which every file matches.
  };

  /// A folder that is being read.
  struct OpenFolder {
    Place place;
    base::Directory stream;
  };

  void look_at(const Place& place);
  void open(Place place);
  void read_on();
  void meet(const Place& place, const std::string& name);
  void leave_out(const std::string& path, const std::string& why);

  std::vector<std::vector<std::string>> patterns_;  ///< Split into parts.
  std::uint32_t most_files_;
  std::vector<Place> places_;
  std::optional<OpenFolder> folder_;
  std::uint64_t names_ = 0;
  std::set<std::string> seen_;
  protocol::FileListing found_;
};

}  // namespace adarun::launcher::agent
