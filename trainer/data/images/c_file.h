// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

namespace adarun::trainer {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// A file as C libraries take it.
using CFile = std::unique_ptr<std::FILE, CloseFile>;

/// Opens a regular file for reading. Throws Error naming it where it cannot be opened or is something else: a
/// folder, or a pipe, which nobody may ever write to.
CFile open_to_read(const std::filesystem::path& file);

/// Makes a file, or empties it, for writing. Throws Error naming it.
CFile open_to_write(const std::filesystem::path& file);

}  // namespace adarun::trainer
