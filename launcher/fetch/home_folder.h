// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// A place in a folder, held open so that nobody can lead it elsewhere.
struct HomePlace {
  base::FileDescriptor folder;
  std::string name;            ///< A plain file name in it.
  std::filesystem::path path;  ///< For messages.
};

/// The folder that files of nodes are brought to. Whatever nodes call their files, nothing is written outside
/// it, and nothing through a symbolic link in it.
class HomeFolder {
 public:
  static constexpr std::size_t most_parts = 100;  ///< Of one path.

  /// Makes it where it is not there, and keeps other programs of ours out of it while this object is there.
  /// No node makes it make more than `most_new_folders` in it. Throws Error.
  explicit HomeFolder(std::filesystem::path path, std::size_t most_new_folders = 10'000);

  /// The place of a file of a node: `node`/`path`, below this folder. Makes the folders on the way. Throws
  /// Error for a path that leads back ("..") or too deep, where a folder on the way is none, or a link, and
  /// where the node has too many of them.
  HomePlace place(const std::string& node, const std::string& path);

  const std::filesystem::path& path() const { return path_; }

 private:
  base::FileDescriptor enter(const std::string& node, const HomePlace& place);

  std::filesystem::path path_;
  std::size_t most_new_folders_;
  base::FileDescriptor folder_;
  std::map<std::string, std::size_t> new_folders_;  ///< By node.
};

}  // namespace adarun::launcher
