// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
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

/// A data set in which some samples may be corrupt: the next readable sample, with its label, replaces each
/// of them, so all ranks take the same number of steps.
class SkipCorruptDataset : public Dataset {
 public:
  /// After `most` corrupt samples, sample() throws at the next one.
  SkipCorruptDataset(std::unique_ptr<Dataset> dataset, int most)
      : dataset_(std::move(dataset)), most_(most) {}

  std::size_t size() const override { return dataset_->size(); }
  int classes() const override { return dataset_->classes(); }
  int channels() const override { return dataset_->channels(); }
  /// After sample() was called for it, the label of the sample that was used.
  int label(std::size_t index) const override;
  std::string file_name(std::size_t index) const override { return dataset_->file_name(index); }
  std::string note() const override { return dataset_->note(); }
  Image picture(std::size_t index) const override { return dataset_->picture(index); }
  void sample(std::size_t index, const View& view, std::span<float> values) const override;

  /// The corrupt samples that were found since the last call, one line each.
  std::vector<std::string> take_findings();

 private:
  std::size_t good_one(std::size_t index) const;
  void skip(std::size_t index, const std::string& reason) const;

  std::unique_ptr<Dataset> dataset_;
  int most_;
  mutable std::mutex mutex_;  // guards the members below
  mutable std::map<std::size_t, std::size_t> instead_;
  mutable std::vector<std::string> findings_;
};

}  // namespace adarun::trainer
