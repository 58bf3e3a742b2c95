// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "trainer/data/datasets/grey.h"
#include "trainer/data/datasets/idx.h"

namespace adarun::trainer {

/// MNIST, held in memory as bytes (47 MB for the training part).
class Mnist : public Grey {
 public:
  /// Reads `train-images-idx3-ubyte` and `train-labels-idx1-ubyte` (`t10k-...` for the test part), with or
  /// without `.gz`, from `folder` or from `folder/train` (`folder/test`). Throws Error naming the file that
  /// is missing, corrupt, not of 28x28 images, not of labels 0..9, or does not fit its partner. Collective
  /// where `sharing` is.
  Mnist(const std::filesystem::path& folder, DatasetPart part, const Sharing& sharing = {});

  std::size_t size() const override { return labels_.values.size(); }
  int label(std::size_t index) const override { return labels_.values[index]; }
  void image(std::size_t index, std::span<std::uint8_t> pixels) const override;

 private:
  Idx images_;
  Idx labels_;
};

}  // namespace adarun::trainer
