// SPDX-License-Identifier: Apache-2.0
#include "trainer/data_tools/write.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>
#include <system_error>

#include "base/new_file.h"
#include "base/system_text.h"
#include "trainer/base/named.h"
#include "trainer/data/datasets/cifar10.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/data/images/jpeg.h"

namespace adarun::trainer::data_tools {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

/// At once, so that nobody sees an incomplete file. If it throws, nothing is left of the new one.
void replace_file(const fs::path& file, const Bytes& bytes) {
  constexpr mode_t readable_and_writable = 0666;
  fs::create_directories(file.parent_path());
  base::NewFile made(file, readable_and_writable);
  if (!made || !made.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()}) ||
      !made.put_in_place())
    throw Error(file.string() + ": cannot be written: " + base::system_text(errno));
}

/// `image` with one or three channels; grey is the luminance of the colours (ITU-R BT.601).
Image with_channels(const Image& image, int channels) {
  if (image.channels == channels) return image;
  Image result = Image::black(image.rows, image.columns, channels);
  const std::size_t pixels = image.pixels.size() / static_cast<std::size_t>(image.channels);
  for (std::size_t p = 0; p < pixels; ++p) {
    if (channels == 3)
      std::fill_n(result.pixels.begin() + static_cast<std::ptrdiff_t>(3 * p), 3, image.pixels[p]);
    if (channels == 1) {
      const std::uint8_t* rgb = image.pixels.data() + 3 * p;
      result.pixels[p] = static_cast<std::uint8_t>(0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] + 0.5);
    }
  }
  return result;
}

/// The whole sample `index`, resampled to side x side.
Image fitted(const Dataset& dataset, std::size_t index, int side, int channels) {
  const Image image = with_channels(dataset.picture(index), channels);
  if (image.rows == side && image.columns == side) return image;
  return resample(image, {0, 0, double(image.rows), double(image.columns)}, side, side);
}

std::uint8_t byte_label(const Dataset& dataset, std::size_t index) {
  const int label = dataset.label(index);
  if (label > 9)
    throw Error("class " + std::to_string(label) + ": this format has ten classes, 0 to 9", Exit::refused);
  return static_cast<std::uint8_t>(label);
}

void append_number(Bytes& bytes, std::size_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes.push_back(static_cast<std::uint8_t>(number >> shift));
}

void write_idx(const Dataset& dataset, std::size_t count, const fs::path& folder, DatasetPart part) {
  Bytes images = {0, 0, 8, 3};
  Bytes labels = {0, 0, 8, 1};
  for (const std::size_t extent : {count, std::size_t{image_side}, std::size_t{image_side}})
    append_number(images, extent);
  append_number(labels, count);
  for (std::size_t i = 0; i < count; ++i) {
    const Image image = fitted(dataset, i, image_side, 1);
    images.insert(images.end(), image.pixels.begin(), image.pixels.end());
    labels.push_back(byte_label(dataset, i));
  }
  const std::string prefix = part == DatasetPart::train ? "train" : "t10k";
  replace_file(folder / (prefix + "-images-idx3-ubyte"), images);
  replace_file(folder / (prefix + "-labels-idx1-ubyte"), labels);
}

Bytes cifar10_records(const Dataset& dataset, std::size_t begin, std::size_t end) {
  Bytes records;
  for (std::size_t i = begin; i < end; ++i) {
    const Image image = fitted(dataset, i, Cifar10::side, 3);
    records.push_back(byte_label(dataset, i));
    for (std::size_t channel = 0; channel < 3; ++channel) {
      for (std::size_t p = channel; p < image.pixels.size(); p += 3) records.push_back(image.pixels[p]);
    }
  }
  return records;
}

void write_cifar10(const Dataset& dataset, std::size_t count, const fs::path& folder, DatasetPart part) {
  if (part == DatasetPart::test)
    return replace_file(folder / "test_batch.bin", cifar10_records(dataset, 0, count));
  if (count < 5)
    throw Error("cifar10: wanted at least 5 images to learn from, one for each file", Exit::refused);
  for (std::size_t batch = 0; batch < 5; ++batch) {
    replace_file(folder / ("data_batch_" + std::to_string(batch + 1) + ".bin"),
                 cifar10_records(dataset, count * batch / 5, count * (batch + 1) / 5));
  }
}

std::string numbered(const char* pattern, std::size_t number) {
  char text[40];
  std::snprintf(text, sizeof text, pattern, number);
  return text;
}

fs::path class_folder(const fs::path& place, int label) {
  return place / numbered("class%04zu", static_cast<std::size_t>(label));
}

fs::path image_file(const Dataset& dataset, std::size_t index, const fs::path& place) {
  return class_folder(place, dataset.label(index)) / numbered("%08zu.JPEG", index);
}

/// Images that were there before would be taken for those of this set, unless they are written anew.
void refuse_other_images(const Dataset& dataset, std::size_t count, const fs::path& place) {
  if (!fs::exists(place)) return;
  std::set<fs::path> files;
  for (std::size_t i = 0; i < count; ++i) files.insert(image_file(dataset, i, place));
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place))
    if (entry.is_regular_file() && entry.path().extension() != base::unfinished_suffix &&
        !files.contains(entry.path()))
      throw Error(place.string() + ": has other images already (" +
                      entry.path().lexically_relative(place).string() + "): wanted a folder without",
                  Exit::refused);
}

void write_image_folder(const Dataset& dataset, std::size_t count, const fs::path& folder, DatasetPart part) {
  constexpr int quality = 90;
  const fs::path place = folder / (part == DatasetPart::train ? "train" : "validation_preprocess");
  refuse_other_images(dataset, count, place);
  // Creates the folders of all classes, so that the other part has no class that is unknown here.
  for (int label = 0; label < dataset.classes(); ++label) fs::create_directories(class_folder(place, label));
  for (std::size_t i = 0; i < count; ++i)
    write_jpeg(dataset.picture(i), quality, image_file(dataset, i, place));
}

struct Entry {
  const char* name;
  void (*write)(const Dataset&, std::size_t count, const fs::path& folder, DatasetPart part);
};

const Entry table[] = {{"idx", write_idx}, {"cifar10", write_cifar10}, {"imagefolder", write_image_folder}};

}  // namespace

std::vector<std::string> format_names() {
  return names_in(table);
}

void write(const Dataset& dataset, std::size_t count, const std::string& format, const fs::path& folder,
           DatasetPart part) {
  try {
    entry_named(table, "format", format).write(dataset, std::min(count, dataset.size()), folder, part);
  } catch (const fs::filesystem_error& error) {
    throw Error(error.path1().string() + ": " + error.code().message());
  }
}

}  // namespace adarun::trainer::data_tools
