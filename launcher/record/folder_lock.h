// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// Locks a folder for a job; the kernel releases the lock however the process ends. The result is invalid if
/// the folder cannot be opened. Throws Error if a running job holds the lock, or if the folder was replaced
/// meanwhile.
base::FileDescriptor lock_folder(const std::filesystem::path& folder);

/// The same for a folder that is open as `opened`.
void lock_opened_folder(int opened, const std::filesystem::path& folder);

/// Whether the opened folder still has this name.
bool is_at(int opened, const std::filesystem::path& folder);

}  // namespace adarun::launcher
