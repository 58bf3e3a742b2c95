// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace adarun::base {

/// Whether a file belongs to this user or to root, whom nobody is protected from.
bool is_ours(const struct stat& facts);

/// Ends the random names under which files are written that are not complete.
inline constexpr std::string_view unfinished_suffix = ".unfinished";

/// A file that is written beside its destination and takes its name once it is complete: readers see the old
/// file or the new one. Its own name, NAME.<32 hexadecimal digits>.unfinished, cannot be guessed, and it is
/// created only where nothing has that name: no link that somebody has put there leads the writer elsewhere.
class NewFile {
 public:
  /// To be `name` in the opened folder, which is borrowed; `mode` is reduced by the umask. Invalid if it
  /// cannot be created; errno says why.
  NewFile(int folder, std::string name, mode_t mode);

  /// To be at a path that the user has named. Links at its end are followed as far as this user or root has
  /// made them; one of another user is what will be replaced. A pipe or a device is written in place, unless
  /// it is the pipe of another user. A file that this user or root has made keeps its mode. Invalid if it
  /// cannot be created; errno says why.
  NewFile(const std::filesystem::path& path, mode_t mode);

  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Removes it unless it is in place.
  ~NewFile();

  explicit operator bool() const { return static_cast<bool>(file_); }

  /// For reading and writing, except a pipe or device: for writing.
  int fd() const { return file_.get(); }

  /// Writes all of `bytes`. False if that fails; errno says why.
  bool write(std::string_view bytes);

  /// Gives it its name. False if that fails; errno says why.
  bool put_in_place();

 private:
  void create(mode_t mode);

  FileDescriptor own_folder_;
  int folder_ = -1;
  std::string name_;
  std::string unfinished_;  ///< Empty: there is none, or it is in place.
  FileDescriptor file_;
};

/// Opens a file that the user has named, to append to it; creates it where it is not there. It may be a pipe
/// or a device, which must have a reader. Links are followed as by NewFile. Invalid, and errno says why, if
/// that fails, if a link of another user has the name, or another user's file in a folder where anyone may
/// create files.
FileDescriptor open_to_append(const std::filesystem::path& path, mode_t mode);

}  // namespace adarun::base
