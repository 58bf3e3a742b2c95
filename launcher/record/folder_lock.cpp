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
  if (fd) lock_opened_folder(fd.get(), folder);
  return fd;
}

void lock_opened_folder(int opened, const fs::path& folder) {
  if (flock(opened, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(folder.string() + ": a running job writes there; choose another --log-dir, or stop that job");
  if (!is_at(opened, folder))
    throw Error(folder.string() + ": another job has just started there; choose another --log-dir");
}

bool is_at(int opened, const fs::path& folder) {
  struct stat known {};
  struct stat there {};
  return fstat(opened, &known) == 0 && stat(folder.c_str(), &there) == 0 && known.st_dev == there.st_dev &&
         known.st_ino == there.st_ino;
}

}  // namespace adarun::launcher
