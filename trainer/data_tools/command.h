// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/manual/man_page.h"
#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer::data_tools {

/// A summary of one part of a data set.
struct DatasetSummary {
  std::size_t samples = 0;
  int channels = 0;
  std::vector<std::size_t> per_class;
  int fewest_rows = 0, most_rows = 0;
  int fewest_columns = 0, most_columns = 0;
  std::array<double, 3> mean{};       ///< Of each channel over all pixels, scaled to 0..1.
  std::array<double, 3> deviation{};  ///< The same for the standard deviation.
  std::vector<std::string> corrupt;   ///< One reason per corrupt image; each names its file.
};

/// Reads every image of `dataset`.
DatasetSummary inspect(const Dataset& dataset);

/// `adarun-trainer data draw|convert|inspect`: makes, converts and inspects data sets. `argv[0]` is `data`.
/// Prints to stdout; returns the exit status. Throws Error.
int run(int argc, const char* const* argv);

/// The manual pages of `adarun-trainer data` and its commands.
std::vector<manual::Page> man_pages();

}  // namespace adarun::trainer::data_tools
