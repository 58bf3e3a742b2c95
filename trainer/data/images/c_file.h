// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/c_file.h"

namespace adarun::trainer {

/// A file as C libraries take it.
using base::CFile;

/// Opens a regular file for reading. Throws Error naming it where it cannot be opened or is something else: a
/// folder, or a pipe, which nobody may ever write to.
CFile open_to_read(const std::filesystem::path& file);

/// Makes a file, or empties it, for writing. Throws Error naming it.
CFile open_to_write(const std::filesystem::path& file);

}  // namespace adarun::trainer
