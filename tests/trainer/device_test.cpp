// SPDX-License-Identifier: Apache-2.0
#include "trainer/device.h"

#include <gtest/gtest.h>
#include <torch/cuda.h>

#include <vector>

#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

struct Chosen {
  std::optional<c10::Device> device;
  std::vector<std::string> lines;
};

Chosen choose(DeviceChoice choice) {
  TrainerOptions options;
  options.device = choice;
  Chosen chosen;
  chosen.device = choose_device(options, 0, [&](const std::string& line) { chosen.lines.push_back(line); });
  return chosen;
}

TEST(Device, IsTheProcessorWithoutAWord) {
  const Chosen chosen = choose(DeviceChoice::cpu);
  EXPECT_FALSE(chosen.device);
  EXPECT_TRUE(chosen.lines.empty());
}

TEST(Device, HasTheNumberOfItsNodeOrIsTheOneThatTheRankSees) {
  EXPECT_EQ(number_of_device(3, 4, std::nullopt), 3U);
  EXPECT_EQ(number_of_device(3, 4, "0,1,2,3"), 3U);
  EXPECT_EQ(number_of_device(3, 1, "3"), 0U);
  EXPECT_EQ(number_of_device(4, 4, std::nullopt), std::nullopt);
  EXPECT_EQ(number_of_device(1, 1, std::nullopt), std::nullopt);
  EXPECT_EQ(number_of_device(0, 0, ""), std::nullopt);
}

/// Where there is no CUDA.
class WithoutCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (torch::cuda::is_available()) GTEST_SKIP() << "libtorch finds CUDA devices here";
  }
};

TEST_F(WithoutCuda, AutoIsTheProcessorAndSaysWhy) {
  const Chosen chosen = choose(DeviceChoice::automatic);
  EXPECT_FALSE(chosen.device);
  ASSERT_EQ(chosen.lines.size(), 1U);
  EXPECT_TRUE(chosen.lines[0].starts_with("device: cpu, since ")) << chosen.lines[0];
  EXPECT_NE(chosen.lines[0].find("CUDA"), std::string::npos) << chosen.lines[0];
}

TEST_F(WithoutCuda, CudaIsRefused) {
  try {
    choose(DeviceChoice::cuda);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Exit::refused);
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("--device cuda: ")) << message;
    EXPECT_TRUE(message.ends_with(": wanted --device cpu or auto")) << message;
  }
}

}  // namespace
}  // namespace adarun::trainer
