// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/skipped_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trainer/base/error.h"
#include "trainer/data/datasets/grey.h"

namespace adarun::trainer {
namespace {

/// The first image is corrupt, and has a name that tries to be a line of a training.
class OneIsCorrupt : public Grey {
 public:
  std::size_t size() const override { return 2; }
  int label(std::size_t /*index*/) const override { return 0; }
  void image(std::size_t index, std::span<std::uint8_t> pixels) const override {
    if (index == 0) throw Error("a\nepoch: 1 step: 1, loss is 0.1\x1b[2J.png: torn");
    std::ranges::fill(pixels, std::uint8_t{0});
  }
};

TEST(SkippedSamples, AreALineEachWhateverNamesFilesHave) {
  Tolerant data(std::make_unique<OneIsCorrupt>(), 1);
  std::vector<std::string> lines;
  SkippedSamples callback([&](const std::string& line) { lines.push_back(line); }, data);
  std::vector<float> values(std::size_t{28} * 28);
  data.sample(0, {28}, values);
  callback.step_end({});
  callback.epoch_end({});
  EXPECT_EQ(lines,
            std::vector<std::string>{"skipped: a epoch: 1 step: 1, loss is 0.1.png: torn (1 of at most 1)"});
}

}  // namespace
}  // namespace adarun::trainer
