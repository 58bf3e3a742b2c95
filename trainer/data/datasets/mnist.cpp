// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/mnist.h"

#include <algorithm>
#include <string>

#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;

fs::path find_file(const fs::path& folder, const std::string& below, const std::string& name) {
  for (const fs::path& place : {folder, folder / below}) {
    for (const std::string& candidate : {name, name + ".gz"}) {
      if (fs::is_regular_file(place / candidate)) return place / candidate;
    }
  }
  throw Error(folder.string() + ": has no " + name + " or " + name + ".gz, nor has its folder " + below);
}

std::string shape_text(const Idx& idx) {
  std::string text;
  for (const std::uint32_t extent : idx.shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

}  // namespace

Mnist::Mnist(const fs::path& folder, DatasetPart part, const Sharing& sharing) {
  const std::string below = part == DatasetPart::train ? "train" : "test";
  const std::string prefix = part == DatasetPart::train ? "train" : "t10k";
  const fs::path images = find_file(folder, below, prefix + "-images-idx3-ubyte");
  const fs::path labels = find_file(folder, below, prefix + "-labels-idx1-ubyte");
  images_ = read_idx(images, sharing);
  labels_ = read_idx(labels, sharing);
  if (images_.shape.size() != 3 || images_.shape[1] != image_side || images_.shape[2] != image_side) {
    throw Error(images.string() + ": shape " + shape_text(images_) + ", wanted Nx28x28");
  }
  if (labels_.shape.size() != 1 || labels_.shape[0] != images_.shape[0]) {
    throw Error(labels.string() + ": shape " + shape_text(labels_) + ", wanted " +
                std::to_string(images_.shape[0]) + ", one label for each image of " + images.string());
  }
  if (labels_.values.empty()) throw Error(images.string() + ": holds no image");
  const auto wrong = std::ranges::find_if(labels_.values, [](std::uint8_t label) { return label > 9; });
  if (wrong != labels_.values.end()) {
    throw Error(labels.string() + ": label " + std::to_string(*wrong) + ", wanted 0 to 9");
  }
}

void Mnist::image(std::size_t index, std::span<std::uint8_t> pixels) const {
  std::copy_n(images_.values.begin() + static_cast<std::ptrdiff_t>(index * image_pixels), image_pixels,
              pixels.begin());
}

}  // namespace adarun::trainer
