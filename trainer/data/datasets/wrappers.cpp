// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/wrappers.h"

#include <optional>
#include <string>
#include <utility>

#include "trainer/base/error.h"

namespace adarun::trainer {

std::unique_ptr<Dataset> hold_out(std::unique_ptr<Dataset> training, std::size_t held_out, DatasetPart part) {
  const std::size_t size = training->size();
  if (held_out >= size) {
    throw Error("--hold-out " + std::to_string(held_out) + ": the data set has " + std::to_string(size) +
                    " samples to learn from",
                Exit::refused);
  }
  std::vector<std::uint32_t> indices;
  for (std::size_t i = 0; i < size; ++i) {
    const bool held = (i + 1) * held_out / size > i * held_out / size;
    if (held == (part == DatasetPart::test)) indices.push_back(static_cast<std::uint32_t>(i));
  }
  return std::make_unique<Subset>(std::move(training), std::move(indices));
}

std::size_t SkipCorruptDataset::good_one(std::size_t index) const {
  const std::lock_guard lock(mutex_);
  for (auto found = instead_.find(index); found != instead_.end(); found = instead_.find(index))
    index = found->second;
  return index;
}

void SkipCorruptDataset::skip(std::size_t index, const std::string& reason) const {
  const std::lock_guard lock(mutex_);
  if (instead_.contains(index)) return;
  if (std::ssize(instead_) == most_) {
    throw Error(reason + " (after " + std::to_string(most_) + " that were skipped, see --skip-corrupt)");
  }
  if (instead_.size() + 1 == size()) throw Error(reason + " (and no other sample can be read)");
  instead_[index] = (index + 1) % size();
  findings_.push_back("skipped: " + reason + " (" + std::to_string(instead_.size()) + " of at most " +
                      std::to_string(most_) + ")");
}

int SkipCorruptDataset::label(std::size_t index) const {
  return dataset_->label(good_one(index));
}

void SkipCorruptDataset::sample(std::size_t index, const View& view, std::span<float> values) const {
  for (;;) {
    const std::size_t at = good_one(index);
    // One that fails may have drawn before: what the next one draws does not depend on it.
    std::optional<Random> random;
    View own = view;
    if (view.augment != nullptr) own.augment = &random.emplace(*view.augment);
    try {
      return dataset_->sample(at, own, values);
    } catch (const Error& error) {
      skip(at, error.what());
    }
  }
}

std::vector<std::string> SkipCorruptDataset::take_findings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(findings_, {});
}

}  // namespace adarun::trainer
