// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "trainer/data/datasets/dataset.h"
#include "trainer/data/datasets/sharing.h"

namespace adarun::trainer {

/// The contents of an IDX file of unsigned bytes, the format of MNIST.
struct Idx {
  std::vector<std::uint32_t> shape;  ///< (count) for labels, (count, rows, columns) for images.
  Bytes values;                      ///< Row by row; `shape` gives their number.
};

/// Reads `file`, plain or gzip, whatever its name. Format: two zero bytes, type 0x08, number of dimensions,
/// each dimension as a big-endian 32-bit number, then the values.
///
/// Throws Error that names the file and the problem: missing, not IDX, another type, too few or too many
/// values, more than 1 GiB of them, or corrupt gzip data. Collective if `sharing` is.
Idx read_idx(const std::filesystem::path& file, const Sharing& sharing = {});

/// Rows and columns of grey images, in pixels.
inline constexpr int image_side = 28;
inline constexpr std::size_t image_pixels = std::size_t{image_side} * image_side;

/// Grey images of 28x28 pixels in ten classes. Pixels become (value / 255 - 0.1307) / 0.3081, with MNIST's
/// mean and deviation. A larger view centres the image in a black square (an odd extra pixel is at the right
/// and bottom); a smaller one crops it.
class GrayscaleDataset : public Dataset {
 public:
  int classes() const override { return 10; }
  int channels() const override { return 1; }
  Image picture(std::size_t index) const override;
  void sample(std::size_t index, const View& view, std::span<float> values) const override;

  /// Writes image `index` row by row, 0 black to 255 white. pixels.size() == image_pixels.
  virtual void image(std::size_t index, std::span<std::uint8_t> pixels) const = 0;
};

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
