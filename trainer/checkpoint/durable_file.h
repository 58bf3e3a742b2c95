// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace adarun::trainer {

/// Makes `bytes` the contents of `file`, by another name first, and returns once the disk has it. Throws
/// Error.
void replace_durably(const std::filesystem::path& file, const std::vector<std::span<const std::byte>>& bytes);

}  // namespace adarun::trainer
