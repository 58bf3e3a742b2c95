// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "trainer/data/dataset.h"

namespace adarun::trainer {

/// A folder of JPEG files with a folder for each class, as ImageNet is kept. Files are read when they are
/// asked for.
///
/// To learn from, a random part of an image is taken (random_part()) and mirrored by chance; to measure on,
/// its middle (middle_part()).
class ImageFolder : public Dataset {
 public:
  /// Lists `folder/train/<class>/*.JPEG` (or .jpg, .jpeg), and for the test part the same below
  /// `validation_preprocess`, `validation` or `val`. Classes are those of `train` in the order of their
  /// names. Throws Error where there is no such folder, no class, no image, or a class that `train` does not
  /// have.
  ImageFolder(const std::filesystem::path& folder, Part part);

  std::size_t size() const override { return files_.size(); }
  /// As many as `train` has folders; of ImageNet's 1,000 it is 1,001, as in the reference, whose first stood
  /// for none.
  int classes() const override { return classes_ == 1000 ? 1001 : classes_; }
  int channels() const override { return 3; }
  int label(std::size_t index) const override { return files_[index].label; }
  Image picture(std::size_t index) const override;
  void sample(std::size_t index, const View& view, std::span<float> values) const override;

 private:
  struct File {
    std::filesystem::path path;
    int label = 0;
  };

  int classes_ = 0;
  std::vector<File> files_;
};

}  // namespace adarun::trainer
