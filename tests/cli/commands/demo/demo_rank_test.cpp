// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/demo/demo_rank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include "cli/arguments/command.h"

namespace adarun::cli {
namespace {

constexpr const char* variables[] = {"RANK_ID", "RANK_SIZE", "DEVICE_ID"};

/// Is rank 11 of 16 for the time of a test.
class DemoRank : public testing::Test {
 protected:
  DemoRank() {
    setenv("RANK_ID", "11", 1);
    setenv("RANK_SIZE", "16", 1);
    setenv("DEVICE_ID", "3", 1);
  }
  ~DemoRank() override {
    for (const char* name : variables) unsetenv(name);
  }
};

TEST(MadeUpLosses, FallHoweverManyStepsThereAre) {
  for (const int steps : {2, 10, 64, 1000})
    for (int rank = 0; rank < 16; ++rank) {
      const std::vector<float> losses = made_up_losses(rank, steps);
      ASSERT_EQ(losses.size(), static_cast<std::size_t>(steps));
      EXPECT_GT(losses.front(), 1.4);
      EXPECT_LT(losses.back(), 0.15);
      EXPECT_GT(*std::ranges::min_element(losses), 0);
    }
}

TEST(MadeUpLosses, DifferByRankAndAreTheSameInEachRun) {
  std::set<float> first;
  for (int rank = 0; rank < 16; ++rank) {
    first.insert(made_up_losses(rank, 64).front());
    EXPECT_EQ(made_up_losses(rank, 64), made_up_losses(rank, 64));
  }
  EXPECT_EQ(first.size(), 16U);
}

TEST_F(DemoRank, SaysItsPlaceAndPrintsTheLinesOfATrainer) {
  testing::internal::CaptureStdout();
  const int status = run_demo_rank({2, 1, 3});
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(text.starts_with("rank 11 of 16, device 3 on ")) << text;
  EXPECT_NE(text.find("trains nothing"), std::string::npos) << text;
  EXPECT_NE(text.find("\nepoch: 1 step: 1, loss is 2."), std::string::npos) << text;
  EXPECT_NE(text.find("\nepoch: 2 step: 1, loss is 0.0"), std::string::npos) << text;
  EXPECT_NE(text.find(" ms, per step time: "), std::string::npos) << text;
}

TEST_F(DemoRank, FailsInTheMiddleWhereItIsToldTo) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = run_demo_rank({2, 1, 11});
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(status, 7);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "RuntimeError: device 3 is lost (made up: adarun demo --fail)\n");
  EXPECT_NE(text.find("epoch: 1 step: 1,"), std::string::npos) << text;
  EXPECT_EQ(text.find("epoch: 2"), std::string::npos) << text;
}

TEST_F(DemoRank, RefusesToRunWithoutAPlace) {
  for (const char* name : variables)
    for (const char* value : {"", "x", "-1", "1.5"}) {
      const std::string before = std::getenv(name);
      setenv(name, value, 1);
      try {
        run_demo_rank({1, 1, {}});
        ADD_FAILURE() << name << "=" << value;
      } catch (const ExitError& error) {
        EXPECT_EQ(error.status(), exit_usage);
        EXPECT_TRUE(std::string(error.what()).starts_with(std::string("demo-rank: ") + name + ": "))
            << error.what();
      }
      setenv(name, before.c_str(), 1);
    }
}

}  // namespace
}  // namespace adarun::cli
