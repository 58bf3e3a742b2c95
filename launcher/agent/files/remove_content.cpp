// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/files/remove_content.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/directory.h"
#include "base/file_descriptor.h"

namespace adarun::launcher::agent {
namespace {

// Each level holds a descriptor; a deeper tree is nobody's scratch data.
constexpr int max_depth = 200;

std::vector<std::string> names_in(int folder_fd) {
  std::vector<std::string> names;
  const int own = ::openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const base::Directory folder(own < 0 ? nullptr : ::fdopendir(own));
  if (!folder) return names;
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

// O_NOFOLLOW keeps us inside already. What deletes trees as root deserves a second lock: a folder reached by
// any kind of link has another parent than the one it was opened from.
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

}  // namespace

void remove_content(int folder_fd, std::string_view spared) {
  remove_below(folder_fd, device_of(folder_fd), 0, spared);
}

}  // namespace adarun::launcher::agent
