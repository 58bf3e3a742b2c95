// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>

namespace adarun::ranktable {

/// The first bytes of a file, at most `max_bytes`. Throws Error if it cannot be read, or if it is a pipe that
/// delivers nothing for `timeout`.
std::string read_start(const std::filesystem::path& path, std::size_t max_bytes,
                       std::chrono::milliseconds timeout = std::chrono::seconds(10));

}  // namespace adarun::ranktable
