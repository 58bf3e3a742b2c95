// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer {

/// A folder of JPEG and PNG files with one subfolder per class, the usual layout of ImageNet. Files are read
/// on demand; their first bytes, not their names, decide between JPEG and PNG.
///
/// For training, a random part of an image (random_part()), mirrored at random; for evaluation, its middle
/// (middle_part()).
class ImageFolder : public Dataset {
 public:
  /// Lists `folder/train/<class>/*.JPEG` (or .jpeg, .jpg, .png, in any letter case), and for the test part
  /// the same below `validation_preprocess`, `validation` or `val`. Classes are those of `train`, in order of
  /// name; names that begin with a dot are ignored. Throws Error if there is no such folder, no class, no
  /// image, or a class that `train` does not have.
  ImageFolder(const std::filesystem::path& folder, DatasetPart part);

  std::size_t size() const override { return files_.size(); }
  /// The number of folders in `train`. For ImageNet's 1,000 classes it is 1,001 as in the reference, whose
  /// first class means "none".
  int classes() const override { return classes_ == 1000 ? 1001 : classes_; }
  int channels() const override { return 3; }
  int label(std::size_t index) const override { return files_[index].label; }
  std::string file_name(std::size_t index) const override;
  Image picture(std::size_t index) const override;
  /// Reports other files in the folders of classes, except those whose names begin with a dot.
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
