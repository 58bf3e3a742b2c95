// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>

#include "trainer/data/images/image.h"

namespace adarun::trainer {

/// Reads a JPEG as three channels, red, green and blue; grey and CMYK ones too. Rows and columns are as they
/// are stored: that Exif says to turn them is not looked at. `file` is at its beginning, `path` is its name.
/// Throws Error naming it and what is wrong with it: not a JPEG, cut short, corrupt in a way that libjpeg
/// would only warn of (but for bytes left over, and odd numbers in its head), arithmetic coding, more than
/// 500 scans, or more than most_pixels.
Image read_jpeg(std::FILE* file, const std::filesystem::path& path);

/// Writes `image`, of one or three channels, at `quality` 1 to 100. Throws Error.
void write_jpeg(const Image& image, int quality, const std::filesystem::path& file);

}  // namespace adarun::trainer
