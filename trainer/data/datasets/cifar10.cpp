// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/cifar10.h"

#include <fstream>

#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;

constexpr Normalization cifar10_normalization = {{0.4914, 0.4822, 0.4465}, {0.2023, 0.1994, 0.2010}};
constexpr int largest_move = 4;
constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30U;  // of a file; the real ones have 30 MB

fs::path find_batch(const fs::path& folder, const std::string& name) {
  for (const fs::path& place : {folder, folder / "cifar-10-batches-bin"}) {
    if (fs::is_regular_file(place / name)) return place / name;
  }
  throw Error(folder.string() + ": has no " + name + ", nor has its folder cifar-10-batches-bin");
}

void append(std::vector<std::uint8_t>& records, const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(file.string() + ": cannot be opened");
  const std::uintmax_t size = fs::file_size(file);
  if (size == 0 || size % Cifar10::record_size != 0) {
    throw Error(file.string() + ": " + std::to_string(size) + " bytes, wanted records of 3073");
  }
  if (size > most_bytes)
    throw Error(file.string() + ": " + std::to_string(size) + " bytes, at most 1 GiB are read");
  const std::size_t had = records.size();
  records.resize(had + size);
  if (!in.read(reinterpret_cast<char*>(records.data() + had), static_cast<std::streamsize>(size))) {
    throw Error(file.string() + ": cannot be read to its end");
  }
  for (std::size_t at = had; at < records.size(); at += Cifar10::record_size) {
    if (records[at] <= 9) continue;
    throw Error(file.string() + ": record " + std::to_string((at - had) / Cifar10::record_size) + ": label " +
                std::to_string(records[at]) + ", wanted 0 to 9");
  }
}

/// `image` moved down and to the right; pixels without a source are black.
Image moved(const Image& image, int down, int right) {
  Image result = Image::black(image.rows, image.columns, image.channels);
  for (int row = 0; row < image.rows; ++row) {
    for (int column = 0; column < image.columns; ++column) {
      const int from_row = row - down;
      const int from = column - right;
      if (from_row < 0 || from < 0 || from_row >= image.rows || from >= image.columns) continue;
      for (int c = 0; c < image.channels; ++c) result.at(row, column, c) = image.at(from_row, from, c);
    }
  }
  return result;
}

}  // namespace

Cifar10::Cifar10(const fs::path& folder, DatasetPart part, const Sharing& sharing) {
  std::vector<std::string> names = {"test_batch.bin"};
  if (part == DatasetPart::train) {
    names.clear();
    for (int batch = 1; batch <= 5; ++batch) names.push_back("data_batch_" + std::to_string(batch) + ".bin");
  }
  records_ = sharing.once([&] {
    std::vector<std::uint8_t> records;
    for (const std::string& name : names) append(records, find_batch(folder, name));
    return records;
  });
}

Image Cifar10::picture(std::size_t index) const {
  Image image = Image::black(side, side, 3);
  const std::uint8_t* from = records_.get().data() + index * record_size + 1;
  for (int channel = 0; channel < 3; ++channel) {
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < side; ++column) image.at(row, column, channel) = *from++;
    }
  }
  return image;
}

void Cifar10::sample(std::size_t index, const View& view, std::span<float> values) const {
  Image image = picture(index);
  Mirrored mirrored = Mirrored::no;
  if (view.augment != nullptr) {
    const int down = static_cast<int>(view.augment->below(2 * largest_move + 1)) - largest_move;
    const int right = static_cast<int>(view.augment->below(2 * largest_move + 1)) - largest_move;
    image = moved(image, down, right);
    if (view.augment->below(2) == 1) mirrored = Mirrored::yes;
  }
  if (view.side != side) image = resample(image, {0, 0, side, side}, view.side, view.side);
  write_normalized(image, mirrored, cifar10_normalization, values);
}

}  // namespace adarun::trainer
