// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace adarun::base {

/// Owns a file descriptor and closes it.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  /// Gives up ownership; the descriptor stays open.
  int release() { return std::exchange(fd_, -1); }

  /// Closes it now.
  void reset() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }  // NOLINT: what it is for
};

/// A stdio stream, closed at the end of its scope.
using CFile = std::unique_ptr<std::FILE, CloseFile>;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

/// An open directory stream, closed at the end of its scope.
using Directory = std::unique_ptr<DIR, CloseDirectory>;

/// The names in a path: "/a//b/" -> a b.
std::vector<std::string> path_parts(const std::string& path);

/// As open(2) with these flags, but follows no symbolic link in `path`, whichever part of it is one: each
/// part is opened in the folder that was opened before it, so that nobody can put a link there meanwhile.
/// None, and errno, where the path cannot be opened: ELOOP at a link. O_CREAT is not for this.
FileDescriptor open_no_links(const std::string& path, int flags);

}  // namespace adarun::base
