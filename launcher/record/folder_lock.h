// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/file_descriptor.h"
#include "launcher/base/error.h"

namespace adarun::launcher {

/// A running job writes to the folder that a job was to have.
class FolderInUse : public Error {
 public:
  using Error::Error;
};

/// Locks a folder for a job; the kernel releases the lock however the process ends. The result is invalid if
/// the folder cannot be opened. Throws FolderInUse if a running job holds the lock, or if the folder was
/// replaced meanwhile.
base::FileDescriptor lock_folder(const std::filesystem::path& folder);

/// The same for a folder that is open as `opened`.
void lock_opened_folder(int opened, const std::filesystem::path& folder);

/// Whether the opened folder still has this name.
bool is_at(int opened, const std::filesystem::path& folder);

/// The logs of the job that wrote to a folder before. They are renamed to make room for the next job, and get
/// their name back if no rank of that job starts.
class EarlierLogs {
 public:
  /// Renames `folder` to `folder.<its job's id>`; does nothing if it is missing or empty. Throws
  /// FolderInUse if a running job uses it, Error if it is no job's. `held`: a lock of that folder which this
  /// process has.
  EarlierLogs(const std::filesystem::path& folder, const base::FileDescriptor& held);

  /// Renames `folder`, now of job `id`, to `folder.<id>`, and gives the earlier logs their name back. Returns
  /// the path of that job's folder: unchanged if there are no earlier logs, or if no rank of theirs had
  /// started either.
  std::filesystem::path give_back(const std::string& id);

 private:
  std::filesystem::path folder_;
  std::filesystem::path renamed_;  ///< Empty: nothing to give back.
};

}  // namespace adarun::launcher
