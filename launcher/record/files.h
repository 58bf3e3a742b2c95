// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// Mode of files that others may read.
inline constexpr mode_t shared_mode = 0644;

/// Opens a new, empty file for writing. Throws Error that names it.
base::FileDescriptor create_file(const std::filesystem::path& file, mode_t mode);

/// Writes all of `bytes`; `file` is its name for messages. Throws Error.
void write_all(int fd, std::string_view bytes, const std::filesystem::path& file);

/// The content of a file in a folder that may be another user's. Nullopt if it cannot be read, is larger, or
/// is no regular file: a pipe that nobody writes to would be waited for, a device may have no end, and a link
/// may point to what only we may read.
std::optional<std::string> read_regular_file(const std::filesystem::path& file, std::uint64_t most_bytes);

/// Writes a temporary file and renames it to `file`, so that a reader never sees a partial file. On failure
/// throws Error and leaves the old file unchanged.
void replace_file(const std::filesystem::path& file, std::string_view content);

/// As replace_file(), but overwrites the old file if there is no disk space for both. Throws Error.
void set_file(const std::filesystem::path& file, std::string_view content);

}  // namespace adarun::launcher
