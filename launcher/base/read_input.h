// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace adarun::launcher {

/// More than a list of all hosts that a job can have.
inline constexpr std::size_t max_input_bytes = std::size_t{64} << 20U;

/// The text of a file that a user names, or of a pipe such as <(generate), in UTF-8: a byte order mark is
/// removed, and UTF-16 that has one is decoded. `kind` says in messages what it should be, such as
/// "hostfile". Throws Error if it cannot be read, is larger than max_input_bytes or no text, or if nothing
/// arrives from the pipe.
std::string read_input(const std::string& path, const std::string& kind);

}  // namespace adarun::launcher
