// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace adarun::trainer {

/// Atomically replaces `file` by one of these bytes (see base::NewFile). Returns
/// when the data is on disk. Throws Error; nothing is left of the temporary file then.
void replace_durably(const std::filesystem::path& file, const std::vector<std::span<const std::byte>>& bytes);

}  // namespace adarun::trainer
