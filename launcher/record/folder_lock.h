// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// Locks a folder for a job; the kernel releases the lock however the process ends. The result is invalid if
/// the folder cannot be opened. Throws Error if a running job holds the lock, or if the folder was replaced
/// meanwhile.
base::FileDescriptor lock_folder(const std::filesystem::path& folder);

/// Whether the opened folder still has this name.
bool is_at(const base::FileDescriptor& opened, const std::filesystem::path& folder);

/// The current path of the opened folder: it may have been renamed, and another job's folder may have its old
/// name. `name` if it was not opened; nullopt if it was removed.
std::optional<std::filesystem::path> current_path(const base::FileDescriptor& opened,
                                                  const std::filesystem::path& name);

}  // namespace adarun::launcher
