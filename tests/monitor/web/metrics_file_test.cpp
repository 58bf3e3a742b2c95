// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/metrics_file.h"

#include <gtest/gtest.h>

#include "monitor/parse/metric_line.h"
#include "tests/scratch_folder.h"

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
         "{\"event\":\"step\",\"epoch\":1,\"step\":2,\"lr\":0.2,\"x\":\"no\",\"time_s\":1.5}\n");
  EXPECT_EQ(file.quantities().names(), (std::vector<std::string>{"lr"}));
  EXPECT_EQ(*file.quantities().find("lr"),
            (std::vector<QuantityPoint>{{1, 0.1, 0.1, 0.1}, {2, 0.2, 0.2, 0.2}}));
  EXPECT_DOUBLE_EQ(file.times().seconds_at(2), 1.5);
}

TEST(MetricsFile, KeepsTheRangeOverLayersAndTheLastOfEach) {
  const MetricsFile file =
      of("{\"event\":\"adasum\",\"epoch\":1,\"step\":10,\"layers\":{\"a\":{\"cosine\":0.1},\"b\":{\"cosine\":"
         "0.5},"
         "\"c\":{\"cosine\":0.2,\"to_sum\":1},\"d\":7}}\n");
  EXPECT_EQ(*file.quantities().find("adasum.cosine"), (std::vector<QuantityPoint>{{10, 0.1, 0.2, 0.5}}));
  EXPECT_EQ(file.layers().step, 10U);
  EXPECT_EQ(file.layers().numbers.size(), 3U);
  EXPECT_EQ(file.layers().numbers.at("c").at("to_sum"), 1);
}

TEST(MetricsFile, KeepsALineOfAThousandLayers) {
  std::string layers;
  for (int layer = 0; layer < 1000; ++layer)
    layers += (layer == 0 ? "\"" : ",\"") + ("model.decoder.layers." + std::to_string(layer)) +
              ".self_attention.weight\":{\"cosine\":0.123456789,\"orthogonality\":0.987654321}";
  ASSERT_GT(layers.size(), base::log_lines.max_bytes);
  const MetricsFile file = of("{\"event\":\"adasum\",\"epoch\":1,\"step\":10,\"layers\":{" + layers + "}}\n");
  EXPECT_EQ(file.layers().numbers.size(), 1000U);
  ASSERT_NE(file.quantities().find("adasum.cosine"), nullptr);
}

TEST(MetricsFile, SkipsALineThatIsTooLong) {
  const std::string text = "{\"epoch\":1,\"step\":1,\"lr\":1,\"text\":\"" +
                           std::string(MetricsFile::most_line_bytes, 'x') +
                           "\"}\n{\"epoch\":1,\"step\":2,\"lr\":1}\n";
  const MetricsFile file = of(text);
  ASSERT_NE(file.quantities().find("lr"), nullptr);
  EXPECT_EQ(file.quantities().find("lr")->size(), 1U);
}

TEST(AdasumLine, IsReadAsItIsPrinted) {
  EXPECT_EQ(
      parse_adasum_line(
          "adasum: epoch 1 step 10, orthogonality 0.132 (0.073 conv1.bias - 0.204 fc1.weight), cosine 0.424"),
      (AdasumLine{1, 10, 0.132, 0.073, 0.204, 0.424}));
  for (const char* line : {"", "adasum", "adasum: epoch 1 step 10",
                           "adasum: epoch 1 step 10, orthogonality 0.132 (0.073 a - 0.204 b)",
                           "adasum: epoch x step 10, orthogonality 0.132 (0.073 a - 0.204 b), cosine 0.4",
                           "adasum: orthogonality 0.132 (0.073 a - 0.204 b), cosine 0.4",
                           "mean: epoch 1 step 10, orthogonality 0.132 (0.073 a - 0.204 b), cosine 0.424"})
    EXPECT_FALSE(parse_adasum_line(line)) << line;
}

TEST(MetricsFile, PassesOverWhatIsNone) {
  const MetricsFile file =
      of("\n[]\nnull\n{\"epoch\":1}\n{\"epoch\":-1,\"step\":1,\"lr\":1}\n{\"epoch\":1,\"step\":1,\"lr\"\nx\n"
         "{\"event\":\"dropped\",\"epoch\":1,\"step\":3,\"rank\":1,\"loss_scale\":512.0}\n");
  EXPECT_EQ(file.quantities().find("loss_scale")->size(), 1U);
  EXPECT_EQ(file.quantities().find("lr"), nullptr);
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
  EXPECT_EQ(file.quantities().names().size(), Quantities::most_names);
  EXPECT_LT(file.quantities().find("lr")->size(), Quantities::most_points);
  EXPECT_GT(file.quantities().find("lr")->size(), 10'000U);
}

TEST(MetricsFile, ReadsAFileThatGrows) {
  const test::ScratchFolder scratch;
  const auto path = scratch.path() / "metrics.jsonl";
  MetricsFile file(path);
  EXPECT_FALSE(file.poll());
  scratch.append("metrics.jsonl", "{\"epoch\":1,\"step\":1,\"lr\":1}\n{\"epoch\":1,\"st");
  EXPECT_TRUE(file.poll());
  scratch.append("metrics.jsonl", "ep\":2,\"lr\":1}\n");
  EXPECT_TRUE(file.poll());
  EXPECT_EQ(file.quantities().find("lr")->size(), 2U);
}

}  // namespace
}  // namespace adarun::monitor::web
