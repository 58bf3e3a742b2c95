// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>

#include "trainer/data/images/image.h"

namespace adarun::trainer {

/// How many times smaller in each direction a picture may be decoded, from its size as stored: 1, 2, 4 or 8.
using Shrinking = std::function<int(const ImageSize& stored)>;

/// Reads a JPEG, including grey and CMYK, as three channels: red, green and blue. Rows and columns are as
/// stored, divided by what `shrinking` returns, rounded up; a pixel is then about the mean of those that it
/// stands for. The Exif orientation is ignored. `file` must be at its beginning; `path` is its name. Throws
/// Error that names the file and the problem: not a JPEG, truncated, corrupt in a way that libjpeg only warns
/// of (except extra bytes and unusual numbers in the header), arithmetic coding, more than 500 scans, or more
/// than most_pixels.
Image read_jpeg(
    std::FILE* file, const std::filesystem::path& path,
    const Shrinking& shrinking = [](const ImageSize&) { return 1; });

/// Writes `image`, of one or three channels, at `quality` 1 to 100. Throws Error.
void write_jpeg(const Image& image, int quality, const std::filesystem::path& file);

}  // namespace adarun::trainer
