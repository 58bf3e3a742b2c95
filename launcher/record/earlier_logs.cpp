// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/earlier_logs.h"

#include <system_error>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/record/folder_lock.h"
#include "launcher/record/job_file.h"

namespace adarun::launcher {

namespace fs = std::filesystem;

EarlierLogs::EarlierLogs(const fs::path& folder, const base::FileDescriptor& held) : folder_(folder) {
  if (!fs::exists(folder)) return;
  base::FileDescriptor lock;
  if (!held || !is_at(held.get(), folder)) lock = lock_folder(folder);
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
