// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer {

/// Some samples of another data set, as a data set.
class Subset : public Dataset {
 public:
  /// Sample i is sample `indices[i]` of `dataset`.
  Subset(std::unique_ptr<Dataset> dataset, std::vector<std::uint32_t> indices)
      : dataset_(std::move(dataset)), indices_(std::move(indices)) {}

  std::size_t size() const override { return indices_.size(); }
  int classes() const override { return dataset_->classes(); }
  int channels() const override { return dataset_->channels(); }
  int label(std::size_t index) const override { return dataset_->label(indices_[index]); }
  std::string file_name(std::size_t index) const override { return dataset_->file_name(indices_[index]); }
  std::string note() const override { return dataset_->note(); }
  Image picture(std::size_t index) const override { return dataset_->picture(indices_[index]); }
  void sample(std::size_t index, const View& view, std::span<float> values) const override {
    dataset_->sample(indices_[index], view, values);
  }

 private:
  std::unique_ptr<Dataset> dataset_;
  std::vector<std::uint32_t> indices_;
};

/// The training part of a data set without its `held_out` samples (DatasetPart::train), or only these
/// (DatasetPart::test). They are spread evenly, so a set that is sorted by label loses equally many of each.
/// `training` is the training part in both cases. Throws Error (refused) unless it has more samples than
/// `held_out`.
std::unique_ptr<Dataset> hold_out(std::unique_ptr<Dataset> training, std::size_t held_out, DatasetPart part);

}  // namespace adarun::trainer
