// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "launcher/record/job_file.h"

namespace adarun::launcher {

namespace fs = std::filesystem;

base::FileDescriptor lock_folder(const fs::path& folder) {
  base::FileDescriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) lock_opened_folder(fd.get(), folder);
  return fd;
}

void lock_opened_folder(int opened, const fs::path& folder) {
  if (flock(opened, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw FolderInUse(folder.string() +
                      ": a running job writes there; choose another --log-dir, or stop that job");
  if (!is_at(opened, folder))
    throw FolderInUse(folder.string() + ": another job has just started there; choose another --log-dir");
}

bool is_at(int opened, const fs::path& folder) {
  struct stat known {};
  struct stat there {};
  return fstat(opened, &known) == 0 && stat(folder.c_str(), &there) == 0 && known.st_dev == there.st_dev &&
         known.st_ino == there.st_ino;
}

EarlierLogs::EarlierLogs(const fs::path& folder, const base::FileDescriptor& held) : folder_(folder) {
  if (!fs::exists(folder)) return;
  base::FileDescriptor lock;
  if (!held || !is_at(held.get(), folder)) lock = lock_folder(folder);
  if (!lock && !fs::exists(folder)) return;  // Another job has just renamed it.
  if (fs::is_empty(folder)) return;
  const std::string id = job_id_in(folder);
  if (id.empty())
    throw Error(folder.string() + ": not empty, and no job of adarun; choose another --log-dir");
  const fs::path renamed = folder.string() + "." + id;
  const bool had_started = any_rank_started_in(folder);
  fs::rename(folder, renamed);
  if (had_started) renamed_ = renamed;
}

fs::path EarlierLogs::give_back(const std::string& id) {
  const fs::path earlier = std::exchange(renamed_, {});
  fs::path aside = folder_.string() + "." + id;
  std::error_code error;
  if (!earlier.empty() && fs::is_directory(earlier, error)) fs::rename(folder_, aside, error);
  if (earlier.empty() || error) return folder_;
  fs::rename(earlier, folder_, error);
  return aside;
}

}  // namespace adarun::launcher
