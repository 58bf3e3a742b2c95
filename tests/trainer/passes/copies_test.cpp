// SPDX-License-Identifier: Apache-2.0
// Models computed on copies of their weights, as on a device: here the copies are in main memory, and also on
// a CUDA device if there is one.
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include "trainer/base/collective.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/models/models.h"
#include "trainer/passes/passes.h"
#include "trainer/run/run.h"

namespace adarun::trainer {
namespace {

std::vector<torch::Device> devices() {
  std::vector<torch::Device> all = {torch::kCPU};
  if (torch::cuda::is_available()) all.emplace_back(torch::kCUDA, 0);
  return all;
}

void expect_near(std::span<const float> got, std::span<const float> wanted, const torch::Device& device) {
  const float tolerance = device.is_cpu() ? 0 : 1e-3F;  // other kernels round otherwise
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], wanted[i], tolerance) << device << " " << i;
}

TEST(Copies, GiveTheGradientsOfTheWeightsThemselves) {
  const Model model = model_named("resnet20", {1, 16, 10});
  const Digits data(DatasetPart::train, 1);
  const std::vector<std::uint32_t> indices = {5, 3, 8, 1};
  Batch batch;
  fill(batch, data, indices, 16);
  for (const torch::Device& device : devices()) {
    Weights own(model, 1);
    Weights copied(model, 1, {}, {}, device);
    EXPECT_EQ(copied.device().type(), device.type());
    for (int pass = 0; pass < 2; ++pass) {
      add_gradients(model, own, batch, {0.1, 2});
      add_gradients(model, copied, batch, {0.1, 2});
      expect_near(copied.gradients(), own.gradients(), device);
      expect_near(copied.buffers(), own.buffers(), device);
      // The changes that an optimizer makes, and the mean over the ranks.
      for (Weights* weights : {&own, &copied}) {
        for (float& value : weights->values()) value *= 0.9F;
        for (float& value : weights->buffers()) value *= 0.5F;
      }
    }
    EXPECT_EQ(count_correct(model, copied, batch), count_correct(model, own, batch));
  }
}

std::vector<std::string> results(std::optional<torch::Device> device) {
  TrainerOptions options;
  options.max_steps = 12;
  options.evaluate = true;
  std::vector<std::string> lines;
  SingleProcessCommunicator alone;
  run(
      options, {}, alone, [&](const std::string& line) { lines.push_back(line); }, device);
  std::erase_if(lines, [](const std::string& line) {
    return !line.starts_with("weights: ") && !line.starts_with("accuracy: ");
  });
  return lines;
}

TEST(Copies, LearnToTheBitWhatTheWeightsThemselvesDo) {
  const std::vector<std::string> wanted = results(std::nullopt);
  ASSERT_EQ(wanted.size(), 3U);
  EXPECT_EQ(results(torch::Device(torch::kCPU)), wanted);
}

}  // namespace
}  // namespace adarun::trainer
