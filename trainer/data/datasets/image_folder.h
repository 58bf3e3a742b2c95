// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer {

/// A folder of JPEG and PNG files with a folder for each class, as ImageNet is kept. Files are read when they
/// are asked for; which of the two they are is for their first bytes to say, not for their names.
///
/// To learn from, a random part of an image is taken (random_part()) and mirrored by chance; to measure on,
/// its middle (middle_part()).
class ImageFolder : public Dataset {
 public:
  /// Lists `folder/train/<class>/*.JPEG` (or .jpeg, .jpg, .png, in any case of letters), and for the test
  /// part the same below `validation_preprocess`, `validation` or `val`. Classes are those of `train` in the
  /// order of their names; names that begin with a dot are passed over. Throws Error where there is no such
  /// folder, no class, no image, or a class that `train` does not have.
  ImageFolder(const std::filesystem::path& folder, DatasetPart part);

  std::size_t size() const override { return files_.size(); }
  /// As many as `train` has folders; of ImageNet's 1,000 it is 1,001, as in the reference, whose first stood
  /// for none.
  int classes() const override { return classes_ == 1000 ? 1001 : classes_; }
  int channels() const override { return 3; }
  int label(std::size_t index) const override { return files_[index].label; }
  Image picture(std::size_t index) const override;
  /// Of what else lies in the folders of classes, unless its name begins with a dot.
  std::string note() const override;
  void sample(std::size_t index, const View& view, std::span<float> values) const override;

 private:
  struct LabelledFile {
    std::filesystem::path path;
    int label = 0;
  };

  void add(const std::filesystem::path& file, int label);

  int classes_ = 0;
  std::vector<LabelledFile> files_;
  std::size_t left_out_ = 0;
  std::filesystem::path first_left_out_;
};

}  // namespace adarun::trainer
