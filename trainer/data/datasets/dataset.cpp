// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/dataset.h"

#include <algorithm>
#include <array>

#include "trainer/base/named.h"
#include "trainer/data/datasets/cifar10.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/data/datasets/image_folder.h"
#include "trainer/data/datasets/mnist.h"

namespace adarun::trainer {
namespace {

std::array<float, 256> make_levels() {
  std::array<float, 256> levels{};
  for (std::size_t value = 0; value < levels.size(); ++value) {
    levels[value] = static_cast<float>((static_cast<double>(value) / 255.0 - 0.1307) / 0.3081);
  }
  return levels;
}

}  // namespace

Image GrayscaleDataset::picture(std::size_t index) const {
  Image picture = Image::black(image_side, image_side, 1);
  image(index, picture.pixels);
  return picture;
}

void GrayscaleDataset::sample(std::size_t index, const View& view, std::span<float> values) const {
  static const std::array<float, 256> levels = make_levels();
  std::array<std::uint8_t, image_pixels> pixels;
  image(index, pixels);
  const int shift = (view.side - image_side) / 2;
  if (view.side != image_side) std::ranges::fill(values, levels[0]);
  const int begin = std::max(0, -shift);
  const int end = std::min(image_side, view.side - shift);
  for (int row = begin; row < end; ++row) {
    float* const to = values.data() + std::ptrdiff_t{row + shift} * view.side + shift;
    const std::uint8_t* const from = pixels.data() + std::ptrdiff_t{row} * image_side;
    for (int column = begin; column < end; ++column) to[column] = levels[from[column]];
  }
}

namespace {

template <typename Files>
std::unique_ptr<Dataset> read(const std::string& path, DatasetPart part, std::uint64_t /*seed*/,
                              const Sharing& sharing) {
  sharing.check_folder(path);
  return std::make_unique<Files>(path, part, sharing);
}

std::unique_ptr<Dataset> find_files(const std::string& path, DatasetPart part, std::uint64_t /*seed*/,
                                    const Sharing& /*sharing*/) {
  return std::make_unique<ImageFolder>(path, part);
}

std::unique_ptr<Dataset> draw_digits(const std::string& /*path*/, DatasetPart part, std::uint64_t seed,
                                     const Sharing& /*sharing*/) {
  return std::make_unique<Digits>(part, seed);
}

struct Entry {
  const char* name;
  std::unique_ptr<Dataset> (*open)(const std::string& path, DatasetPart part, std::uint64_t seed,
                                   const Sharing& sharing);
  bool has_files = true;
};

const Entry table[] = {
    {"digits", draw_digits, false},
    {"mnist", read<Mnist>},
    {"cifar10", read<Cifar10>},
    {"imagefolder", find_files},
};

}  // namespace

std::vector<std::string> dataset_names() {
  return names_in(table);
}

std::unique_ptr<Dataset> open_dataset(const std::string& name, const std::string& path, DatasetPart part,
                                      std::uint64_t seed, const Sharing& sharing) {
  const Entry& entry = entry_named(table, "dataset", name);
  if (entry.has_files && path.empty()) {
    throw Error("dataset " + name + ": no folder: give --data-path DIR or set DATA_PATH", Exit::usage);
  }
  return entry.open(path, part, seed, sharing);
}

}  // namespace adarun::trainer
