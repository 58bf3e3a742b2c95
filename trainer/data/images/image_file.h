// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "base/file_descriptor.h"
#include "trainer/data/images/image.h"

namespace adarun::trainer {

/// A FILE, as C libraries require.
using base::CFile;

/// Opens a regular file for reading. Throws Error that names it if it cannot be opened or is not a regular
/// file: a folder, or a pipe, which may never have a writer.
CFile open_to_read(const std::filesystem::path& file);

/// Reads a JPEG or PNG file (read_jpeg(), read_png()). Its first bytes decide which, not its name: one of
/// ImageNet's .JPEG files is a PNG. Three channels. Throws Error that names the file and the problem.
Image read_image(const std::filesystem::path& file);

/// Reads a part of an image file, resampled to side x side; `part` chooses it from the size of the image. A
/// JPEG is decoded at 1/2, 1/4 or 1/8 of its size where the part has as many pixels as wanted then too.
/// Throws as read_image().
Image read_part(const std::filesystem::path& file, const std::function<CropBox(const ImageSize&)>& part,
                int side);

}  // namespace adarun::trainer
