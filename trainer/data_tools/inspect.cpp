// SPDX-License-Identifier: Apache-2.0
#include "trainer/data_tools/inspect.h"

#include <algorithm>
#include <cmath>

#include "trainer/base/error.h"

namespace adarun::trainer::data_tools {
namespace {

/// Sums over the pixels of all images.
struct PixelSums {
  std::array<double, 3> first{};
  std::array<double, 3> second{};
  double pixels = 0;

  void add(const Image& image) {
    const auto channels = static_cast<std::size_t>(image.channels);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      const double value = image.pixels[i] / 255.0;
      first[i % channels] += value;
      second[i % channels] += value * value;
    }
    pixels += static_cast<double>(image.pixels.size() / channels);
  }
};

void add_size(DatasetSummary& summary, const Image& image, bool first) {
  const auto widen = [first](int& low, int& high, int value) {
    low = first ? value : std::min(low, value);
    high = first ? value : std::max(high, value);
  };
  widen(summary.fewest_rows, summary.most_rows, image.rows);
  widen(summary.fewest_columns, summary.most_columns, image.columns);
}

}  // namespace

DatasetSummary inspect(const Dataset& dataset) {
  DatasetSummary summary;
  summary.samples = dataset.size();
  summary.channels = dataset.channels();
  summary.per_class.resize(static_cast<std::size_t>(dataset.classes()));
  PixelSums sums;
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    try {
      const Image image = dataset.picture(i);
      add_size(summary, image, sums.pixels == 0);
      sums.add(image);
      ++summary.per_class[static_cast<std::size_t>(dataset.label(i))];
    } catch (const Error& error) {
      summary.corrupt.emplace_back(error.what());
    }
  }
  for (std::size_t c = 0; c < 3 && sums.pixels > 0; ++c) {
    summary.mean[c] = sums.first[c] / sums.pixels;
    summary.deviation[c] =
        std::sqrt(std::max(0.0, sums.second[c] / sums.pixels - summary.mean[c] * summary.mean[c]));
  }
  return summary;
}

}  // namespace adarun::trainer::data_tools
