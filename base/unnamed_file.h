// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/file_descriptor.h"

namespace adarun::base {

/// TMPDIR, else /tmp, also where that is no folder.
std::filesystem::path temporary_folder();

/// An empty file in the temporary folder that has no name and is gone with its last descriptor; closed in
/// programs that are executed. Invalid if it cannot be made; errno says why.
FileDescriptor unnamed_file();

/// The same in memory, for what is small; in the temporary folder where the kernel has no such files (before
/// Linux 3.17, or behind a filter of system calls).
FileDescriptor memory_file();

}  // namespace adarun::base
