// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/file_descriptor.h"

namespace adarun::trainer {

/// A FILE, as C libraries require.
using base::CFile;

/// Opens a regular file for reading. Throws Error that names it if it cannot be opened or is not a regular
/// file: a folder, or a pipe, which may never have a writer.
CFile open_to_read(const std::filesystem::path& file);

}  // namespace adarun::trainer
