// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

#include "launcher/base/error.h"

namespace adarun::launcher {

namespace fs = std::filesystem;

base::FileDescriptor lock_folder(const fs::path& folder) {
  base::FileDescriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd && flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(folder.string() + ": a running job writes there; choose another --log-dir, or stop that job");
  if (fd && !is_at(fd, folder))
    throw Error(folder.string() + ": another job has just started there; choose another --log-dir");
  return fd;
}

bool is_at(const base::FileDescriptor& opened, const fs::path& folder) {
  struct stat known {};
  struct stat there {};
  return fstat(opened.get(), &known) == 0 && stat(folder.c_str(), &there) == 0 &&
         known.st_dev == there.st_dev && known.st_ino == there.st_ino;
}

std::optional<fs::path> current_path(const base::FileDescriptor& opened, const fs::path& name) {
  if (!opened || is_at(opened, name)) return name;
  std::error_code error;
  const fs::path moved = fs::read_symlink("/proc/self/fd/" + std::to_string(opened.get()), error);
  return !error && is_at(opened, moved) ? std::optional(moved) : std::nullopt;
}

}  // namespace adarun::launcher
