// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "trainer/data/datasets/dataset.h"
#include "trainer/data/datasets/idx.h"

namespace adarun::trainer {

/// MNIST, held in memory as bytes (47 MB for the training part).
class Mnist : public GrayscaleDataset {
 public:
  /// Reads `train-images-idx3-ubyte` and `train-labels-idx1-ubyte` (`t10k-...` for the test part), with or
  /// without `.gz`, from `folder` or from `folder/train` (`folder/test`). Throws Error that names the file if
  /// it is missing or corrupt, if images are not 28x28, if labels are not 0..9, or if the two files do not
  /// match. Collective if `sharing` is.
  Mnist(const std::filesystem::path& folder, DatasetPart part, const Sharing& sharing = {});

  std::size_t size() const override { return labels_.values.size(); }
  int label(std::size_t index) const override { return labels_.values[index]; }
  void image(std::size_t index, std::span<std::uint8_t> pixels) const override;

 private:
  Idx images_;
  Idx labels_;
};

}  // namespace adarun::trainer
