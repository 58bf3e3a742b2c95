// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer::data_tools {

/// The formats that sets are written in: idx (grey, 28x28, as MNIST), cifar10 (colour, 32x32, binary),
/// imagefolder (JPEG files of any size, a folder a class).
std::vector<std::string> format_names();

/// Writes the first `count` samples of `dataset` (all, where it has fewer) below `folder` as `part` of a set;
/// existing files are replaced, each at once. Images are resampled and coloured as the format has them.
/// Throws Error naming the file, or the class that the format cannot hold.
void write(const Dataset& dataset, std::size_t count, const std::string& format,
           const std::filesystem::path& folder, DatasetPart part);

}  // namespace adarun::trainer::data_tools
