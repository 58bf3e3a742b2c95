// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "base/output_folder.h"

namespace adarun::launcher {

/// Destination of a file. The folder is held open, so that replacing it by a link does not redirect the file.
struct HomePlace {
  base::OutputFolder folder;
  std::string name;            ///< A plain file name in `folder`.
  std::filesystem::path path;  ///< For messages.
};

/// The folder that nodes' files are fetched into. Whatever names nodes give their files, nothing is written
/// outside it, through a symbolic link in it, or into a folder of another user.
class HomeFolder {
 public:
  static constexpr std::size_t most_parts = 100;  ///< Of one path.

  /// Creates the folder if missing, and locks it against other adarun processes for the lifetime of this
  /// object. At most `most_new_folders` folders are created per node. Throws Error.
  explicit HomeFolder(std::filesystem::path path, std::size_t most_new_folders = 10'000);

  /// The destination of a node's file: `node`/`path` below this folder. Creates parent folders. Throws Error
  /// for a path that contains ".." or is too deep, if a parent is not a folder or is a link, and if the node
  /// needs too many folders.
  HomePlace place(const std::string& node, const std::string& path);

  const std::filesystem::path& path() const { return path_; }

 private:
  base::OutputFolder enter(const std::string& node, const HomePlace& place);

  std::filesystem::path path_;
  std::size_t most_new_folders_;
  base::OutputFolder folder_;
  std::map<std::string, std::size_t> new_folders_;  ///< By node.
};

}  // namespace adarun::launcher
