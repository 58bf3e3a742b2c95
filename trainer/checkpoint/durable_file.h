// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace adarun::trainer {

/// Of the temporary file.
inline constexpr const char* unfinished_suffix = ".unfinished";

/// Atomically replaces the contents of `file` by `bytes`: writes a temporary file and renames it. Returns
/// when the data is on disk. Throws Error; nothing is left of the temporary file then.
void replace_durably(const std::filesystem::path& file, const std::vector<std::span<const std::byte>>& bytes);

}  // namespace adarun::trainer
