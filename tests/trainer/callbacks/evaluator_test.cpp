// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/evaluator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "trainer/base/collective.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/data/datasets/wrappers.h"
#include "trainer/models/models.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {
namespace {

using planner::LayerSplit;
using planner::Strategy;

constexpr std::uint64_t seed = 7;

std::unique_ptr<Dataset> some_digits(std::size_t count) {
  return hold_out(std::make_unique<Digits>(DatasetPart::train, 1), count, DatasetPart::test);
}

TEST(ImagesAtOnce, AreThoseOfAPassWhereLayersAreLarge) {
  const Model large = model_named("vgg16", {3, 224, 1000});
  EXPECT_EQ(images_at_once(large, 8), 8U);
  EXPECT_EQ(images_at_once(large, 32), 32U);
  EXPECT_EQ(images_at_once(large, 1000), 256U);
  EXPECT_LT(images_at_once(large, 1), 8U);
}

TEST(ImagesAtOnce, AreManyOfSmallModels) {
  for (const std::size_t of_pass : {1U, 8U, 1000U})
    EXPECT_EQ(images_at_once(model_named("lenet5", {1, 32, 10}), of_pass), 256U);
}

/// Which all ranks find of the weights that whole ranks draw from the seed.
double split_accuracy(const Model& model, const std::vector<Strategy>& strategies, const Dataset& dataset,
                      std::size_t images) {
  const auto ranks = static_cast<std::size_t>(strategies[0].replicas * strategies[0].parts);
  std::vector<double> found(ranks);
  adasum::run_ranks(static_cast<int>(ranks), [&](adasum::Communicator& world) {
    SplitRun split(model, strategies, world);
    Weights weights(split.model(), 0);
    split.draw(seed, weights);
    found[static_cast<std::size_t>(world.rank())] = accuracy(split, weights, dataset, {images});
  });
  EXPECT_EQ(found, std::vector<double>(ranks, found[0]));
  return found[0];
}

TEST(Accuracy, IsThatOfWholeWeightsByAnyPlanAndOfAnyNumberOfImages) {
  const Model model = model_named("mlp", {1, 28, 10});
  const std::vector<Strategy> plans[] = {
      {{2, 2, LayerSplit::outputs}, {2, 2, LayerSplit::inputs}, {4, 1, LayerSplit::none}},
      {{2, 3, LayerSplit::outputs}, {2, 3, LayerSplit::inputs}, {6, 1, LayerSplit::none}},
      {{1, 4, LayerSplit::outputs}, {2, 2, LayerSplit::none}, {4, 1, LayerSplit::none}},
      {{4, 1, LayerSplit::none}, {2, 2, LayerSplit::outputs}, {1, 4, LayerSplit::inputs}}};
  for (const std::size_t samples : {3U, 1001U}) {
    const auto dataset = some_digits(samples);
    Weights whole(model, seed);
    SingleProcessCommunicator alone;
    const double wanted = accuracy(model, whole, *dataset, alone);
    for (const auto& plan : plans) {
      for (const std::size_t images : {50U, 256U})
        EXPECT_DOUBLE_EQ(split_accuracy(model, plan, *dataset, images), wanted)
            << planner::describe(plan[0]) << ", " << samples << " samples, " << images << " at once";
    }
  }
}

torch::Tensor normalized(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  const Activation x = layers.batch_norm("bn", layers.convolution("conv", images, {2, 3, 1, 1, Bias::no}));
  return layers.scores("fc", layers.mean_of_pixels(x), classes);
}

/// The statistics of two ranks, 1 and 2 before, after accuracy has been measured.
std::vector<float> statistics_after(Statistics statistics) {
  const Model model = make_model("normalized", normalized, {1, 28, 10});
  const auto dataset = some_digits(4);
  std::vector<float> found(2);
  adasum::run_ranks(2, [&](adasum::Communicator& communicator) {
    Weights weights(model, seed);
    std::ranges::fill(weights.buffers(), static_cast<float>(communicator.rank() + 1));
    accuracy(model, weights, *dataset, communicator, {256, statistics});
    found[static_cast<std::size_t>(communicator.rank())] = weights.buffers().front();
  });
  return found;
}

TEST(Accuracy, LeavesTheStatisticsOfRanksThatHaveModelsOfTheirOwn) {
  EXPECT_EQ(statistics_after(Statistics::own), (std::vector<float>{1, 2}));
  EXPECT_EQ(statistics_after(Statistics::mean), (std::vector<float>{1.5, 1.5}));
}

/// The statistics of rank 0 of two, 1 and 2 before, in the checkpoint that a stop writes while `measure` is
/// measuring.
template <typename Measure>
float statistics_at_stop(const Measure& measure) {
  const Model model = make_model("normalized", normalized, {1, 28, 10});
  const auto dataset = some_digits(40);
  float kept = 0;
  adasum::run_ranks(2, [&](adasum::Communicator& communicator) {
    const bool is_first = communicator.rank() == 0;
    Weights weights(model, seed);
    std::ranges::fill(weights.buffers(), static_cast<float>(communicator.rank() + 1));
    std::vector<int> written;
    const auto always = [] { return true; };
    Checkpointer checkpointer(
        communicator, {0, 0}, always,
        [&](const Progress& at) {
          written.push_back(at.step);
          if (is_first) kept = weights.buffers().front();
        },
        [&] { return !is_first; });
    Evaluator evaluator([](const std::string& line) { ADD_FAILURE() << line; },
                        {communicator, model, weights, *dataset}, {.images = 4}, 1, always);
    evaluator.stop_by(checkpointer);
    try {
      measure(evaluator, Progress{1, 3, 0, 0, 3});
      ADD_FAILURE() << "is not stopped";
    } catch (const Stopped& stopped) {
      EXPECT_EQ(stopped.at.step, 3);
    }
    EXPECT_EQ(written, std::vector<int>{3});
  });
  return kept;
}

TEST(Evaluator, StopsWithACheckpointOfWhatAResumedTrainingMeasuresAgain) {
  const auto epoch_end = [](Evaluator& evaluator, const Progress& at) { evaluator.epoch_end(at); };
  EXPECT_EQ(statistics_at_stop(epoch_end), 1);
}

TEST(Evaluator, StopsWithACheckpointOfWhatAResumedTrainingDoesNotMeasureAgain) {
  const auto step_end = [](Evaluator& evaluator, const Progress& at) { evaluator.step_end(at); };
  EXPECT_EQ(statistics_at_stop(step_end), 1.5);
}

TEST(Evaluator, WaitsUntilRanksAreTogether) {
  const Model model = model_named("mlp", {1, 28, 10});
  Weights weights(model, seed);
  const auto dataset = some_digits(4);
  SingleProcessCommunicator alone;
  std::string steps;
  int step = 0;
  Evaluator evaluator([&](const std::string& line) { steps += line.substr(0, line.find(',')) + "\n"; },
                      {alone, model, weights, *dataset}, {}, 2, [&] { return step % 3 == 0; });
  for (step = 1; step <= 9; ++step) evaluator.step_end({1, step, 0, 0, step});
  EXPECT_EQ(steps, "Eval result: epoch 1 step 3\nEval result: epoch 1 step 6\nEval result: epoch 1 step 9\n");
}

}  // namespace
}  // namespace adarun::trainer
