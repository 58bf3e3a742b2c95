// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer::data_tools {

/// A data set of which a line on the terminal shows how many images were taken: a bar on stderr that is
/// written over and over and gone in the end, or nothing where stderr is no terminal. For one thread.
class ProgressDataset : public Dataset {
 public:
  /// `what`: the words before the bar. `count`: so many images will be taken. `dataset` outlives it.
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
