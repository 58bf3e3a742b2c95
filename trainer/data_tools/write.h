// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer::data_tools {

/// The output formats: idx (grey, 28x28, as MNIST), cifar10 (colour, 32x32, binary), imagefolder (JPEG files
/// of any size, one folder per class).
std::vector<std::string> format_names();

/// Writes the first `count` samples of `dataset` (all, if it has fewer) below `folder` as `part` of a set.
/// Existing files are replaced atomically. Images are resampled and converted to the colours of the format.
/// Throws Error that names the file, or the class that the format cannot hold.
void write(const Dataset& dataset, std::size_t count, const std::string& format,
           const std::filesystem::path& folder, DatasetPart part);

}  // namespace adarun::trainer::data_tools
