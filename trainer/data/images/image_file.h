// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "trainer/data/images/image.h"

namespace adarun::trainer {

/// Reads a JPEG or PNG file (read_jpeg(), read_png()). Its first bytes decide which, not its name: one of
/// ImageNet's .JPEG files is a PNG. Three channels. Throws Error that names the file and the problem.
Image read_image(const std::filesystem::path& file);

}  // namespace adarun::trainer
