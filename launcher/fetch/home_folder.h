// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "launcher/posix/file_descriptor.h"

namespace adarun::launcher {

/// A place in a folder, held open so that nobody can lead it elsewhere.
struct HomePlace {
  posix::FileDescriptor folder;
  std::string name;            ///< A plain file name in it.
  std::filesystem::path path;  ///< For messages.
};

/// The folder that files of nodes are brought to. Whatever nodes call their files, nothing is written outside
/// it, and nothing through a symbolic link in it.
class HomeFolder {
 public:
  /// Makes it where it is not there, and keeps other programs of ours out of it while this object is there.
  /// Throws Error.
  explicit HomeFolder(std::filesystem::path path);

  /// The place of a file of a node: `node`/`path`, below this folder. Makes the folders on the way. Throws
  /// Error for a path that leads back ("..") and where a folder on the way is none, or a link.
  HomePlace place(const std::string& node, const std::string& path) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  posix::FileDescriptor folder_;
};

}  // namespace adarun::launcher
