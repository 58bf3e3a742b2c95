// SPDX-License-Identifier: Apache-2.0
#include "trainer/sets/inspect.h"

#include <algorithm>
#include <cmath>

#include "trainer/error.h"

namespace adarun::trainer::sets {
namespace {

/// Sums over the pixels of all images.
struct Sums {
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

void add_size(Contents& contents, const Image& image, bool first) {
  const auto widen = [first](int& low, int& high, int value) {
    low = first ? value : std::min(low, value);
    high = first ? value : std::max(high, value);
  };
  widen(contents.fewest_rows, contents.most_rows, image.rows);
  widen(contents.fewest_columns, contents.most_columns, image.columns);
}

}  // namespace

Contents inspect(const Dataset& dataset) {
  Contents contents;
  contents.samples = dataset.size();
  contents.channels = dataset.channels();
  contents.per_class.resize(static_cast<std::size_t>(dataset.classes()));
  Sums sums;
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    try {
      const Image image = dataset.picture(i);
      add_size(contents, image, sums.pixels == 0);
      sums.add(image);
      ++contents.per_class[static_cast<std::size_t>(dataset.label(i))];
    } catch (const Error& error) {
      contents.corrupt.emplace_back(error.what());
    }
  }
  for (std::size_t c = 0; c < 3 && sums.pixels > 0; ++c) {
    contents.mean[c] = sums.first[c] / sums.pixels;
    contents.deviation[c] =
        std::sqrt(std::max(0.0, sums.second[c] / sums.pixels - contents.mean[c] * contents.mean[c]));
  }
  return contents;
}

}  // namespace adarun::trainer::sets
