// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "trainer/data/image.h"

namespace adarun::trainer {

/// Reads a JPEG file as three channels, red, green and blue; grey and CMYK files too. Throws Error naming the
/// file and what is wrong with it: not there, not a JPEG, cut short, or corrupt in a way that libjpeg would
/// only warn of.
Image read_jpeg(const std::filesystem::path& file);

/// Writes `image`, of one or three channels, at `quality` 1 to 100. Throws Error.
void write_jpeg(const Image& image, int quality, const std::filesystem::path& file);

}  // namespace adarun::trainer
