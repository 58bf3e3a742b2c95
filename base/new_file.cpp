// SPDX-License-Identifier: Apache-2.0
#include "base/new_file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/random_digits.h"

namespace adarun::base {
namespace {

namespace fs = std::filesystem;

constexpr mode_t permissions = ACCESSPERMS;
constexpr int most_links = 40;

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// What a path that the user has named leads to.
struct Destination {
  fs::path path;  // Without links that this user or root has made, unless it is in place.
  struct stat facts {};
  bool exists = false;
  bool in_place = false;  // Neither a regular file nor a folder.
};

// Links to what is open in a process (/dev/stdout) name no path if that is a pipe.
Destination destination_of(fs::path path) {
  for (int links = 0; links < most_links; ++links) {
    Destination found{path, {}, false, false};
    found.exists = ::lstat(path.c_str(), &found.facts) == 0;
    const bool is_link = found.exists && S_ISLNK(found.facts.st_mode);
    struct stat at_end {};
    found.in_place = found.exists && (!is_link || is_ours(found.facts)) &&
                     ::stat(path.c_str(), &at_end) == 0 && !S_ISREG(at_end.st_mode) &&
                     !S_ISDIR(at_end.st_mode);
    if (!is_link || !is_ours(found.facts) || found.in_place) return found;
    std::error_code error;
    const fs::path next = fs::read_symlink(path, error);
    if (error) return found;
    path = next.is_absolute() ? next : folder_of(path) / next;
  }
  errno = ELOOP;
  return {};
}

// Who reads from the pipe of another user is not known, and may never read.
FileDescriptor opened_in_place(const Destination& destination) {
  const mode_t mode = destination.facts.st_mode;
  if (S_ISFIFO(mode) && !is_ours(destination.facts)) {
    errno = EACCES;
    return {};
  }
  return FileDescriptor(
      ::open(destination.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | (S_ISLNK(mode) ? 0 : O_NOFOLLOW)));
}

// NAME.<digits>.unfinished, where a name may be so long.
std::string unfinished_name(const std::string& name) {
  const std::string ending = "." + random_digits() + std::string(unfinished_suffix);
  return name.substr(0, NAME_MAX - ending.size()) + ending;
}

bool may_be_made_by_anyone(const fs::path& path) {
  struct stat facts {};
  return ::stat(folder_of(path).c_str(), &facts) != 0 || (facts.st_mode & S_IWOTH) != 0;
}

}  // namespace

bool is_ours(const struct stat& facts) {
  return facts.st_uid == ::geteuid() || facts.st_uid == 0;
}

NewFile::NewFile(int folder, std::string name, mode_t mode) : folder_(folder), name_(std::move(name)) {
  create(mode);
}

NewFile::NewFile(const fs::path& path, mode_t mode) {
  const Destination destination = destination_of(path);
  if (destination.path.empty()) return;
  if (destination.in_place) {
    file_ = opened_in_place(destination);
    return;
  }
  own_folder_ = FileDescriptor(::open(folder_of(destination.path).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!own_folder_) return;
  folder_ = own_folder_.get();
  name_ = destination.path.filename();
  create(mode);
  if (file_ && destination.exists && S_ISREG(destination.facts.st_mode) && is_ours(destination.facts))
    ::fchmod(file_.get(), destination.facts.st_mode & permissions);
}

NewFile::~NewFile() {
  if (unfinished_.empty() || !file_) return;
  const int error = errno;  // Callers report it after this.
  ::unlinkat(folder_, unfinished_.c_str(), 0);
  errno = error;
}

void NewFile::create(mode_t mode) {
  unfinished_ = unfinished_name(name_);
  file_ = FileDescriptor(
      ::openat(folder_, unfinished_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
}

bool NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(file_.get(), bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

bool NewFile::put_in_place() {
  if (unfinished_.empty()) return true;
  if (::renameat(folder_, unfinished_.c_str(), folder_, name_.c_str()) != 0) return false;
  unfinished_.clear();
  return true;
}

FileDescriptor open_to_append(const fs::path& path, mode_t mode) {
  const Destination destination = destination_of(path);
  if (destination.path.empty()) return {};
  const bool is_link = destination.exists && S_ISLNK(destination.facts.st_mode);
  const int follow = is_link && destination.in_place ? 0 : O_NOFOLLOW;
  const int create = destination.exists ? 0 : O_CREAT | O_EXCL;
  FileDescriptor file(::open(destination.path.c_str(),
                             O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | follow | create,
                             mode));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0) return {};
  if (!is_ours(destination.in_place ? destination.facts : facts) && may_be_made_by_anyone(destination.path)) {
    errno = EACCES;
    return {};
  }
  return file;
}

}  // namespace adarun::base
