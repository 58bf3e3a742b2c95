// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trainer/base/random.h"
#include "trainer/data/datasets/sharing.h"
#include "trainer/data/images/image.h"

namespace adarun::trainer {

/// How a sample is wanted.
struct View {
  int side = 0;  ///< Rows and columns, in pixels.
  /// Where random crops and flips are drawn from; none: as samples are measured on.
  Random* augment = nullptr;
};

/// Labelled images, by index. Does not change once made; may be read from several threads.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual std::size_t size() const = 0;
  virtual int classes() const = 0;
  virtual int channels() const = 0;

  /// 0 .. classes() - 1; index < size().
  virtual int label(std::size_t index) const = 0;

  /// Image `index` as it is kept. Throws Error, naming the file, where it cannot be read.
  virtual Image picture(std::size_t index) const = 0;

  /// Writes image `index`, normalized, as (channels, side, side): values.size() == channels() * side * side.
  /// Throws Error, naming the file, where the image cannot be read.
  virtual void sample(std::size_t index, const View& view, std::span<float> values) const = 0;

  /// What users are to be told of it once, a line; empty: nothing.
  virtual std::string note() const { return {}; }
};

/// What is learned from, and what is measured on.
enum class DatasetPart { train, test };

/// The data sets that users choose by name.
std::vector<std::string> dataset_names();

/// One part of the dataset called `name`: drawn from `seed`, or read from the folder `path` by whom `sharing`
/// says. Throws Error where there is none of that name, or its files cannot be read.
std::unique_ptr<Dataset> open_dataset(const std::string& name, const std::string& path, DatasetPart part,
                                      std::uint64_t seed, const Sharing& sharing = {});

}  // namespace adarun::trainer
