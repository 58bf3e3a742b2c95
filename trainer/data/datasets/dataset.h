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

/// The form in which a sample is requested.
struct View {
  int side = 0;  ///< Rows and columns, in pixels.
  /// Source of random crops and flips; null: no augmentation, for evaluation.
  Random* augment = nullptr;
};

/// Labelled images, by index. Immutable; may be read from several threads.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual std::size_t size() const = 0;
  virtual int classes() const = 0;
  virtual int channels() const = 0;

  /// 0 .. classes() - 1; index < size().
  virtual int label(std::size_t index) const = 0;

  /// The file of image `index`, with the folder of its class; empty where a file holds many images.
  virtual std::string file_name(std::size_t /*index*/) const { return {}; }

  /// Image `index` as it is stored. Throws Error that names the file if it cannot be read.
  virtual Image picture(std::size_t index) const = 0;

  /// Writes image `index`, normalized, as (channels, side, side): values.size() == channels() * side * side.
  /// Throws Error that names the file if the image cannot be read.
  virtual void sample(std::size_t index, const View& view, std::span<float> values) const = 0;

  /// A note that users should see once, one line; empty: none.
  virtual std::string note() const { return {}; }
};

/// The part for training, and the part for evaluation.
enum class DatasetPart { train, test };

/// The data sets that users can select by name.
std::vector<std::string> dataset_names();

/// Throws Error if data set `name` is read from files, and `path` is empty.
void require_folder(const std::string& name, const std::string& path);

/// One part of the data set `name`: generated from `seed`, or read from the folder `path` by the ranks that
/// `sharing` selects. Throws Error if there is none of that name, or if its files cannot be read.
std::unique_ptr<Dataset> open_dataset(const std::string& name, const std::string& path, DatasetPart part,
                                      std::uint64_t seed, const Sharing& sharing = {});

}  // namespace adarun::trainer
