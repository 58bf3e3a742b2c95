// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/trainer/refusal.h"
#include "trainer/base/error.h"
#include "trainer/base/log_lines.h"
#include "trainer/callbacks/monitors.h"
#include "trainer/data/datasets/mnist.h"

namespace adarun::trainer {
namespace {

TEST(LossMonitor, ShowsTheFirstStepEveryNthAndTheLast) {
  std::vector<std::string> lines;
  LossMonitor monitor([&](const std::string& line) { lines.push_back(line); }, 2);
  for (int epoch = 1; epoch <= 2; ++epoch) {
    for (int step = 1; step <= 5; ++step) monitor.step_end({epoch, step, 0.5F});
    monitor.epoch_end({epoch, 5, 0.5F});
  }
  std::vector<std::string> wanted;
  for (int epoch = 1; epoch <= 2; ++epoch) {
    for (const int step : {1, 2, 4, 5}) wanted.push_back(loss_line(epoch, step, 0.5F));
  }
  EXPECT_EQ(lines, wanted);
}

TEST(LossMonitor, ShowsALastStepThatIsDueOnce) {
  int lines = 0;
  LossMonitor monitor([&](const std::string&) { ++lines; }, 2);
  for (int epoch = 1; epoch <= 2; ++epoch) {
    for (int step = 1; step <= 2; ++step) monitor.step_end({epoch, step, 0.5F});
    monitor.epoch_end({epoch, 2, 0.5F});
  }
  EXPECT_EQ(lines, 4);
}

TEST(LossMonitor, EndsTheTrainingAtALossThatIsNotFinite) {
  for (const float loss : {std::nanf(""), HUGE_VALF, -HUGE_VALF}) {
    std::string last;
    LossMonitor monitor([&](const std::string& line) { last = line; }, 100);
    EXPECT_NE(testing_data::refusal(Exit::failed, [&] { monitor.step_end({2, 17, loss}); }), "accepted");
    EXPECT_EQ(last, not_finite_line(2, 17));
  }
}

TEST(LossMonitor, NamesTheRankOfAGradientThatIsNotFiniteBesideALossThatIs) {
  std::string last;
  LossMonitor monitor([&](const std::string& line) { last = line; }, 100);
  monitor.not_finite({2, 17, 0.5F}, 3);
  EXPECT_EQ(last, not_finite_gradient_line(2, 17, 3));
  monitor.not_finite({2, 17, std::nanf("")}, 3);
  EXPECT_EQ(last, not_finite_line(2, 17));
}

/// The first image is corrupt, and has a name that tries to be a line of a training.
class OneIsCorrupt : public GrayscaleDataset {
 public:
  std::size_t size() const override { return 2; }
  int label(std::size_t /*index*/) const override { return 0; }
  void image(std::size_t index, std::span<std::uint8_t> pixels) const override {
    if (index == 0) throw Error("a\nepoch: 1 step: 1, loss is 0.1\x1b[2J.png: torn");
    std::ranges::fill(pixels, std::uint8_t{0});
  }
};

TEST(SkippedSamples, AreALineEachWhateverNamesFilesHave) {
  SkipCorruptDataset data(std::make_unique<OneIsCorrupt>(), 1);
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
