// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>

#include "trainer/data/images/image.h"

namespace adarun::trainer {

/// Whether the first bytes of `file` are those of a PNG. Rewinds it.
bool begins_as_png(std::FILE* file);

/// Reads a PNG as three channels: red, green and blue. Grey and palette images become colour, 16-bit channels
/// become 8-bit; transparency, colour profiles and gamma are ignored. `file` must be at its beginning; `path`
/// is its name. Throws Error that names the file and the problem: not a PNG, truncated, corrupt, more than
/// most_pixels, more than 65535 in a row or column, or more than a file of its size can hold.
Image read_png(std::FILE* file, const std::filesystem::path& path);

}  // namespace adarun::trainer
