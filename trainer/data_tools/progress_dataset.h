// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer::data_tools {

/// A data set that shows on the terminal how many of its images were read: a bar on stderr that is updated in
/// place and erased at the end; nothing if stderr is not a terminal. For one thread.
class ProgressDataset : public Dataset {
 public:
  /// `what`: the text before the bar. `count`: how many images will be read. `dataset` must outlive it.
  ProgressDataset(const Dataset& dataset, std::string what, std::size_t count);
  ~ProgressDataset() override;
  ProgressDataset(const ProgressDataset&) = delete;
  ProgressDataset& operator=(const ProgressDataset&) = delete;

  std::size_t size() const override { return dataset_.size(); }
  int classes() const override { return dataset_.classes(); }
  int channels() const override { return dataset_.channels(); }
  int label(std::size_t index) const override { return dataset_.label(index); }
  Image picture(std::size_t index) const override;
  void sample(std::size_t index, const View& view, std::span<float> values) const override {
    dataset_.sample(index, view, values);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show() const;

  const Dataset& dataset_;
  std::string what_;
  std::size_t count_;
  bool is_terminal_;
  mutable std::size_t taken_ = 0;
  mutable Clock::time_point next_;
};

}  // namespace adarun::trainer::data_tools
