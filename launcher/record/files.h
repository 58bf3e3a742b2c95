// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/output_folder.h"

namespace adarun::launcher {

/// Mode of files that others may read.
inline constexpr mode_t shared_mode = 0644;

/// Opens a folder for files of this user, makes it where it is not there, and refuses one of others (see
/// base::OutputFolder). Throws Error.
base::OutputFolder open_output_folder(const std::filesystem::path& folder);

/// The same for one that is open; `path` is its name for messages.
base::OutputFolder output_folder(base::FileDescriptor opened, const std::filesystem::path& path);

/// A new, empty file in place of an old one, open for reading and writing. Throws Error that names it.
base::FileDescriptor create_file(const base::OutputFolder& folder, const std::string& name, mode_t mode);

/// Writes all of `bytes`; `file` is its name for messages. Throws Error.
void write_all(int fd, std::string_view bytes, const std::filesystem::path& file);

/// The content of a file in a folder that may be another user's. Nullopt if it cannot be read, is larger, or
/// is no regular file: a pipe that nobody writes to would be waited for, a device may have no end, and a link
/// may point to what only we may read.
std::optional<std::string> read_regular_file(const std::filesystem::path& file, std::uint64_t most_bytes);

/// Replaces the file at once, so that a reader never sees a partial one (see base::NewFile). On failure
/// throws Error and leaves the old file unchanged.
void replace_file(const base::OutputFolder& folder, const std::string& name, std::string_view content);

/// The same at a path that the user has named.
void replace_file(const std::filesystem::path& file, std::string_view content);

/// As replace_file(), but overwrites the old file if there is no disk space for both. Throws Error.
void set_file(const base::OutputFolder& folder, const std::string& name, std::string_view content);

}  // namespace adarun::launcher
