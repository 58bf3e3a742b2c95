// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "trainer/data/datasets/dataset.h"
#include "trainer/data/datasets/sharing.h"

namespace adarun::trainer {

/// CIFAR-10, binary version, held in memory (154 MB for the training part): records of a label and 3 x 32 x
/// 32 bytes.
///
/// For training, images are shifted by up to four pixels with black borders, and mirrored at random. Views of
/// another size are then resampled.
class Cifar10 : public Dataset {
 public:
  static constexpr int side = 32;
  static constexpr std::size_t record_size = 1 + std::size_t{3} * side * side;

  /// Reads `data_batch_1.bin` to `data_batch_5.bin` (`test_batch.bin` for the test part) from `folder`, or
  /// from its folder `cifar-10-batches-bin`. Throws Error that names the file if it is missing, has
  /// incomplete records, or has a label above 9. Collective if `sharing` is.
  Cifar10(const std::filesystem::path& folder, DatasetPart part, const Sharing& sharing = {});

  std::size_t size() const override { return records_.size() / record_size; }
  int classes() const override { return 10; }
  int channels() const override { return 3; }
  int label(std::size_t index) const override { return records_[index * record_size]; }
  Image picture(std::size_t index) const override;
  void sample(std::size_t index, const View& view, std::span<float> values) const override;

 private:
  Bytes records_;
};

}  // namespace adarun::trainer
