// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "launcher/protocol/fetch.h"

namespace adarun::launcher::agent {

/// Looks for the regular files that patterns name. A pattern is a path, absolute or below the current folder,
/// whose parts may hold `*`, `?` and `[...]` as in a shell; a folder stands for all files in it and below.
/// Symbolic links are followed where the pattern names them as a part on the way; a link that a `*` has
/// found, that lies in a folder or that is the last part is left out: it may lead where its owner could not
/// read. So are devices, sockets and pipes, without being opened.
class FileWalk {
 public:
  /// So many names are looked at before it gives up.
  static constexpr std::uint64_t most_names = 2'000'000;

  explicit FileWalk(const protocol::Find& find);

  /// Looks on, for a folder at the most; false when all is found.
  bool advance();

  /// What was found, once advance() gave false.
  protocol::Found take();

 private:
  /// A folder to look in, or a place to look at where no part is left.
  struct Place {
    std::string path;  ///< Empty: where we are.
    std::size_t pattern = 0;
    std::size_t part = 0;    ///< Of the pattern, to be matched below `path`.
    bool is_inside = false;  ///< Of a folder that stands for all it holds.
  };

  void look_at(const Place& place);
  void look_in(const Place& place);
  void meet(const Place& place, const std::string& name);
  void leave_out(const std::string& path, const std::string& why);

  std::vector<std::vector<std::string>> patterns_;  ///< In parts.
  std::uint32_t most_files_;
  std::vector<Place> places_;
  std::uint64_t names_ = 0;
  std::set<std::string> seen_;
  protocol::Found found_;
};

}  // namespace adarun::launcher::agent
