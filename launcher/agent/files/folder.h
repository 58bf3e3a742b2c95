// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// A folder that the agent makes for a job and removes at its end, with whatever ranks have left in it.
class Folder {
 public:
  /// Makes it, mode 0700. Throws agent::Error where it exists already or cannot be made.
  explicit Folder(std::string path);

  /// One that the agent has made before it died; nothing is removed where it is not a folder of our user's.
  static Folder adopt(std::string path);

  Folder(Folder&&) = default;
  Folder& operator=(Folder&&) = delete;
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Removes it. Symbolic links are removed, never followed; mounts are not entered. What cannot be removed
  /// stays.
  ~Folder();

  /// Writes a file of mode 0600. Throws agent::Error where `name` is not a plain file name, is there
  /// already, or cannot be written.
  void write(const std::string& name, const std::string& content);

  /// Makes a folder in it, mode 0700, and gives its path. Throws agent::Error.
  std::string make_inner(const std::string& name);

  /// Removes what is in it, likewise, but for what is called `name`.
  void remove_all_but(std::string_view name) const;

  const std::string& path() const { return path_; }

 private:
  Folder(std::string path, base::FileDescriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  base::FileDescriptor fd_;
};

}  // namespace adarun::launcher::agent
