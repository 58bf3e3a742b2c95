// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/files/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "launcher/agent/base/descriptors.h"
#include "launcher/agent/base/error.h"

namespace adarun::launcher::agent {
namespace {

// Its lock keeps systemd-tmpfiles from removing what is old below it (tmpfiles.d(5)).
base::FileDescriptor open_folder(const std::string& path) {
  base::FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder) ::flock(folder.get(), LOCK_EX | LOCK_NB);
  return folder;
}

// Each level holds a descriptor open. Scratch data is not this deep; deeper folders are not removed.
constexpr int max_depth = 200;

std::vector<std::string> names_in(int folder_fd) {
  std::vector<std::string> names;
  base::FileDescriptor own(::openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const base::Directory folder(own ? ::fdopendir(own.get()) : nullptr);
  if (!folder) return names;
  own.release();
  while (const dirent* entry = ::readdir(folder.get()))  // NOLINT: this DIR is ours alone
    if (const std::string_view name = entry->d_name; name != "." && name != "..") names.emplace_back(name);
  return names;
}

dev_t device_of(int fd) {
  struct stat facts {};
  return ::fstat(fd, &facts) == 0 ? facts.st_dev : 0;
}

bool same(int one, int other) {
  struct stat first {};
  struct stat second {};
  return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// O_NOFOLLOW already keeps us inside. This is a second check, since we may delete trees as root: a folder
// reached through any kind of link has a parent other than the folder it was opened from.
bool is_child(int inner_fd, int folder_fd) {
  const base::FileDescriptor parent(::openat(inner_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return parent && same(parent.get(), folder_fd);
}

void remove_below(int folder_fd, dev_t device, int depth, std::string_view spared) {
  for (const std::string& name : names_in(folder_fd)) {
    if (name == spared) continue;
    const base::FileDescriptor inner(
        ::openat(folder_fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (inner && depth < max_depth && device_of(inner.get()) == device && is_child(inner.get(), folder_fd))
      remove_below(inner.get(), device, depth + 1, "");
    if (::unlinkat(folder_fd, name.c_str(), 0) != 0) ::unlinkat(folder_fd, name.c_str(), AT_REMOVEDIR);
  }
}

// Removes everything in the open folder `folder_fd`, and nothing outside it: symbolic links are removed and
// not followed, other file systems mounted in it are not entered. What cannot be removed stays, and so does
// the entry `spared` of the folder itself.
void remove_content(int folder_fd, std::string_view spared = "") {
  remove_below(folder_fd, device_of(folder_fd), 0, spared);
}

}  // namespace

Folder::Folder(std::string path) : path_(std::move(path)) {
  if (::mkdir(path_.c_str(), S_IRWXU) != 0)
    throw Error("folder \"" + path_ + "\" cannot be made: " + base::system_text(errno));
  fd_ = open_folder(path_);
  if (!fd_) throw Error("folder \"" + path_ + "\" cannot be opened: " + base::system_text(errno));
}

Folder Folder::adopt(std::string path) {
  base::FileDescriptor fd = open_folder(path);
  struct stat facts {};
  const bool ours = fd && ::fstat(fd.get(), &facts) == 0 && facts.st_uid == ::geteuid();
  return {std::move(path), ours ? std::move(fd) : base::FileDescriptor()};
}

Folder::~Folder() {
  if (!fd_) return;
  remove_content(fd_.get());
  ::rmdir(path_.c_str());
}

void Folder::remove_all_but(std::string_view name) const {
  if (fd_) remove_content(fd_.get(), name);
}

std::string Folder::make_inner(const std::string& name) {
  std::string path = path_ + '/' + name;
  if (::mkdirat(fd_.get(), name.c_str(), S_IRWXU) != 0)
    throw Error("folder \"" + path + "\" cannot be made: " + base::system_text(errno));
  return path;
}

void Folder::write(const std::string& name, const std::string& content) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    throw Error("staged file \"" + name + "\": wanted a plain file name");
  const base::FileDescriptor file(::openat(
      fd_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file || !write_all(file.get(), content))
    throw Error("staged file \"" + name + "\": " + base::system_text(errno));
}

}  // namespace adarun::launcher::agent
