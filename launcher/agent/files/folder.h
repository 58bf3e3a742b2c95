// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// A folder that the agent creates for a job and removes at its end, with everything that ranks left in it.
class Folder {
 public:
  /// Creates it with mode 0700. Throws agent::Error if it exists already or cannot be created.
  explicit Folder(std::string path);

  /// Takes over a folder made by an agent that has died. If our user does not own it, nothing is removed.
  static Folder adopt(std::string path);

  Folder(Folder&&) = default;
  Folder& operator=(Folder&&) = delete;
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Removes it. Symbolic links are removed, never followed; mounts are not entered. What cannot be removed
  /// stays.
  ~Folder();

  /// Writes a file of mode 0600. Throws agent::Error if `name` is not a plain file name, exists already or
  /// cannot be written.
  void write(const std::string& name, const std::string& content);

  /// Creates a folder in it, mode 0700, and returns its path. Throws agent::Error.
  std::string make_inner(const std::string& name);

  /// Removes its content in the same way, except the entry `name`.
  void remove_all_but(std::string_view name) const;

  const std::string& path() const { return path_; }

 private:
  Folder(std::string path, base::FileDescriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  base::FileDescriptor fd_;
};

}  // namespace adarun::launcher::agent
