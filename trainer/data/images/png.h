// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>

#include "trainer/data/images/image.h"

namespace adarun::trainer {

/// Whether the first bytes of `file` are those of a PNG. Leaves it at its beginning.
bool begins_as_png(std::FILE* file);

/// Reads a PNG as three channels, red, green and blue. Grey and palettes become colours, 16 bits a channel 8;
/// what a file says of transparency, colour profiles and gamma is not looked at. `file` is at its beginning,
/// `path` is its name. Throws Error naming it and what is wrong with it: not a PNG, cut short, corrupt, more
/// than most_pixels, or 65535 in a row or column, or more than a file of its size can hold.
Image read_png(std::FILE* file, const std::filesystem::path& path);

}  // namespace adarun::trainer
