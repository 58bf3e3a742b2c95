// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/metrics_file.h"

#include <gtest/gtest.h>

#include "../scratch.h"

namespace adarun::monitor::web {
namespace {

MetricsFile of(const std::string& text) {
  MetricsFile file("none");
  file.feed(text);
  return file;
}

TEST(MetricsFile, KeepsEveryNumberUnderItsName) {
  const MetricsFile file =
      of("{\"event\":\"step\",\"epoch\":1,\"step\":1,\"loss\":2.0,\"lr\":0.1,\"time_s\":1.0}\n"
         "{\"event\":\"step\",\"epoch\":1,\"step\":2,\"lr\":0.2,\"adasum\":{\"orthogonality\":0.5,\"x\":"
         "\"no\"},\"time_s\":1.5}\n");
  ASSERT_EQ(file.quantities().size(), 2U);
  EXPECT_EQ(file.quantities().at("lr").samples.size(), 2U);
  EXPECT_EQ(file.quantities().at("adasum.orthogonality").samples[0].loss, 0.5);
  EXPECT_DOUBLE_EQ(file.times().seconds_at(2), 1.5);
}

TEST(MetricsFile, PassesOverWhatIsNone) {
  const MetricsFile file =
      of("\n[]\nnull\n{\"epoch\":1}\n{\"epoch\":-1,\"step\":1,\"lr\":1}\n{\"epoch\":1,\"step\":1,\"lr\"\nx\n"
         "{\"event\":\"dropped\",\"epoch\":1,\"step\":3,\"rank\":1,\"loss_scale\":512.0}\n");
  EXPECT_EQ(file.dropped_steps(), 1U);
  EXPECT_EQ(file.quantities().at("loss_scale").samples.size(), 1U);
  EXPECT_FALSE(file.quantities().contains("lr"));
}

TEST(MetricsFile, CountsOnWhereTheTrainerWasStartedAgain) {
  const MetricsFile file =
      of("{\"epoch\":1,\"step\":1,\"time_s\":1.0}\n{\"epoch\":1,\"step\":2,\"time_s\":2.0}\n"
         "{\"epoch\":1,\"step\":2,\"time_s\":0.5}\n{\"epoch\":1,\"step\":3,\"time_s\":1.5}\n");
  EXPECT_DOUBLE_EQ(file.times().seconds_at(2), 2.5);
  EXPECT_DOUBLE_EQ(file.times().seconds_at(3), 3.5);
}

TEST(MetricsFile, StaysBounded) {
  MetricsFile file("none");
  for (int step = 1; step <= 200'000; ++step)
    file.feed("{\"epoch\":1,\"step\":" + std::to_string(step) + ",\"lr\":1}\n");
  for (int name = 0; name < 1000; ++name)
    file.feed("{\"epoch\":2,\"step\":1,\"name" + std::to_string(name) + "\":1}\n");
  EXPECT_EQ(file.quantities().size(), MetricsFile::most_quantities);
  EXPECT_LT(file.quantities().at("lr").samples.size(), MetricsFile::most_samples);
  EXPECT_GT(file.quantities().at("lr").samples.size(), 10'000U);
}

TEST(MetricsFile, ReadsAFileThatGrows) {
  const Scratch scratch;
  const auto path = scratch.path() / "metrics.jsonl";
  MetricsFile file(path);
  EXPECT_FALSE(file.poll());
  scratch.append("metrics.jsonl", "{\"epoch\":1,\"step\":1,\"lr\":1}\n{\"epoch\":1,\"st");
  EXPECT_TRUE(file.poll());
  scratch.append("metrics.jsonl", "ep\":2,\"lr\":1}\n");
  EXPECT_TRUE(file.poll());
  EXPECT_EQ(file.quantities().at("lr").samples.size(), 2U);
}

}  // namespace
}  // namespace adarun::monitor::web
