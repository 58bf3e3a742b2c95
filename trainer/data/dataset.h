// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace adarun::trainer {

/// Rows and columns of every image, in pixels.
inline constexpr int image_side = 28;
inline constexpr std::size_t image_pixels = std::size_t{image_side} * image_side;

/// Labelled grey images, by index. Does not change once made; may be read from several threads.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual std::size_t size() const = 0;

  /// 0..9; index < size().
  virtual int label(std::size_t index) const = 0;

  /// Writes image `index` row by row, 0 black to 255 white. pixels.size() == image_pixels.
  virtual void image(std::size_t index, std::span<std::uint8_t> pixels) const = 0;
};

/// What is learned from, and what is measured on.
enum class Part { train, test };

/// One part of the dataset called `name`: `digits` (drawn from `seed`) or `mnist` (read from the folder
/// `path`). Throws Error where there is none of that name, or its files cannot be read.
std::unique_ptr<Dataset> open_dataset(const std::string& name, const std::string& path, Part part,
                                      std::uint64_t seed);

}  // namespace adarun::trainer
