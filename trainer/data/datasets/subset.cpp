// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/subset.h"

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

}  // namespace adarun::trainer
