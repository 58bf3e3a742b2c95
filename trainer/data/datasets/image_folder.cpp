// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/image_folder.h"

#include <algorithm>
#include <cctype>

#include "trainer/base/error.h"
#include "trainer/data/images/image_file.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;

constexpr Normalization imagenet_normalization = {{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};

bool is_image(const fs::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension == ".jpeg" || extension == ".jpg" || extension == ".png";
}

bool is_hidden(const fs::path& file) {
  return file.filename().string().starts_with('.');
}

/// The paths in `folder` for which `wanted` returns true, sorted by name.
template <typename Wanted>
std::vector<fs::path> sorted(const fs::path& folder, Wanted wanted) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (wanted(entry)) found.push_back(entry.path());
  }
  if (error) throw Error(folder.string() + ": cannot be listed: " + error.message());
  std::ranges::sort(found);
  return found;
}

std::vector<fs::path> class_folders(const fs::path& folder) {
  return sorted(folder, [](const fs::directory_entry& entry) {
    return entry.is_directory() && !is_hidden(entry.path());
  });
}

fs::path test_folder(const fs::path& folder) {
  for (const char* name : {"validation_preprocess", "validation", "val"}) {
    if (fs::is_directory(folder / name)) return folder / name;
  }
  throw Error(folder.string() + ": has no folder validation_preprocess, validation or val");
}

}  // namespace

ImageFolder::ImageFolder(const fs::path& folder, DatasetPart part) {
  std::vector<std::string> names;
  for (const fs::path& of_class : class_folders(folder / "train")) names.push_back(of_class.filename());
  if (names.empty()) throw Error((folder / "train").string() + ": has no folder of a class");
  classes_ = static_cast<int>(names.size());
  const fs::path place = part == DatasetPart::train ? folder / "train" : test_folder(folder);
  for (const fs::path& of_class : class_folders(place)) {
    const auto name = std::ranges::lower_bound(names, of_class.filename().string());
    if (name == names.end() || *name != of_class.filename()) {
      throw Error(of_class.string() + ": a class that " + (folder / "train").string() + " does not have");
    }
    const auto files =
        sorted(of_class, [](const fs::directory_entry& entry) { return !is_hidden(entry.path()); });
    for (const fs::path& file : files) add(file, static_cast<int>(name - names.begin()));
  }
  if (files_.empty())
    throw Error(place.string() + ": has no .JPEG, .jpeg, .jpg or .png in the folders of its classes");
}

void ImageFolder::add(const fs::path& file, int label) {
  if (is_image(file)) {
    files_.push_back({file, label});
  } else if (left_out_++ == 0) {
    first_left_out_ = file;
  }
}

std::string ImageFolder::note() const {
  if (left_out_ == 0) return "";
  return "left out: " + std::to_string(left_out_) + (left_out_ == 1 ? " file" : " files") +
         " in the folders of classes, not named .JPEG, .jpeg, .jpg or .png: " + first_left_out_.string() +
         (left_out_ == 1 ? "" : " and so on");
}

std::string ImageFolder::file_name(std::size_t index) const {
  const std::string& path = files_[index].path.native();
  return path.substr(path.rfind('/', path.rfind('/') - 1) + 1);
}

Image ImageFolder::picture(std::size_t index) const {
  return read_image(files_[index].path);
}

void ImageFolder::sample(std::size_t index, const View& view, std::span<float> values) const {
  const auto choose = [&](const ImageSize& image) {
    return view.augment == nullptr ? middle_part(image) : random_part(image, *view.augment);
  };
  const Image part = read_part(files_[index].path, choose, view.side);
  const bool mirror = view.augment != nullptr && view.augment->below(2) == 1;
  write_normalized(part, mirror ? Mirrored::yes : Mirrored::no, imagenet_normalization, values);
}

}  // namespace adarun::trainer
