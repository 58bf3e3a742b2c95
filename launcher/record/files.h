// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// Of files that others may read.
inline constexpr mode_t shared_mode = 0644;

/// Opens a new, empty file for writing. Throws Error naming it.
base::FileDescriptor create_file(const std::filesystem::path& file, mode_t mode);

/// Writes all of `bytes`; `file` is its name for messages. Throws Error.
void write_all(int fd, std::string_view bytes, const std::filesystem::path& file);

/// Writes a file beside the old one and then takes its place, so that a reader never sees half of it. Throws
/// Error, and leaves the old one as it is.
void replace_file(const std::filesystem::path& file, std::string_view content);

/// As replace_file(); where there is no room for both, overwrites the old one. Throws Error.
void set_file(const std::filesystem::path& file, std::string_view content);

}  // namespace adarun::launcher
