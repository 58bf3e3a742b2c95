// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::base {

/// A new, empty file `name` in an opened folder, in place of what has the name there, open for reading and
/// writing. Invalid if it cannot be created; errno says why.
FileDescriptor create_file(int folder, const std::string& name, mode_t mode);

/// The regular file `name` in an opened folder, if it belongs to this user or root and has no other name; a
/// link is not followed. With O_CREAT in `flags` it is created where it is not there. Invalid if it cannot be
/// opened; errno says why: EACCES if it is another user's.
FileDescriptor open_own_file(int folder, const std::string& name, int flags, mode_t mode = 0);

/// A folder for files that adarun names: logs, jobs, copies from nodes. It is opened once: files go there
/// whoever renames it, or puts another folder in its place. It belongs to this user or to root, and no other
/// user may write there, except those of a group to which it was given: they can add and remove files, and
/// see no more than the files' modes allow, and nothing is written to a file, or through a link, that they
/// have put there.
class OutputFolder {
 public:
  /// Opens `path`, which may be a link of this user or root. Where it is not there it is made first, with the
  /// folders above it; others may not write there, whatever the umask. Throws std::runtime_error, which names
  /// the folder and the reason.
  explicit OutputFolder(const std::filesystem::path& path);

  /// Takes the folder that is open; `path` is its name for messages. Throws std::runtime_error.
  OutputFolder(FileDescriptor folder, std::filesystem::path path);

  int fd() const { return folder_.get(); }

  /// As open_own_file(). Where the file system does not tell users apart, files are whose the folder is.
  FileDescriptor open_file(const std::string& name, int flags, mode_t mode = 0) const;

  /// Under which it was opened.
  const std::filesystem::path& path() const { return path_; }

 private:
  void refuse_others() const;

  std::filesystem::path path_;
  FileDescriptor folder_;
};

}  // namespace adarun::base
