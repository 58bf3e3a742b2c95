// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "trainer/data/images/image.h"

namespace adarun::trainer {

/// Reads a JPEG or PNG file (read_jpeg(), read_png()), as its first bytes say, whatever its name: of
/// ImageNet's .JPEG files one is a PNG. Three channels. Throws Error naming the file and what is wrong with
/// it.
Image read_image(const std::filesystem::path& file);

}  // namespace adarun::trainer
