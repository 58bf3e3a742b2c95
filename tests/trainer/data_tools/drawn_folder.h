// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/scratch_folder.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/data_tools/write.h"

namespace adarun::trainer::testing_data {

/// A folder of 20 training images of about 40 pixels.
inline void draw_folder(const test::ScratchFolder& folder) {
  data_tools::write(ColourDigits(DatasetPart::train, 1, 20, 40, true), 20, "imagefolder", folder.path(),
                    DatasetPart::train);
}

/// All files below `folder`, by name.
inline std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace adarun::trainer::testing_data
