// SPDX-License-Identifier: Apache-2.0
#include "trainer/data_tools/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <string>

#include "tests/trainer/data_tools/drawn_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/data/datasets/image_folder.h"

namespace adarun::trainer {
namespace {

TEST(Inspect, CountsWhatThereIs) {
  const test::ScratchFolder folder;
  testing_data::draw_folder(folder);
  std::filesystem::resize_file(testing_data::files_below(folder.path()).front(), 60);
  const data_tools::DatasetSummary summary =
      data_tools::inspect(ImageFolder(folder.path(), DatasetPart::train));
  EXPECT_EQ(summary.samples, 20U);
  EXPECT_EQ(summary.corrupt.size(), 1U);
  EXPECT_EQ(std::accumulate(summary.per_class.begin(), summary.per_class.end(), 0U), 19U);
  EXPECT_GE(summary.fewest_rows, 30);
  EXPECT_LE(summary.most_columns, 60);
  EXPECT_GT(summary.mean[1], 0.1);
  EXPECT_GT(summary.deviation[1], 0.05);
}

TEST(InspectCommand, ReplacesWhatIsNoUtf8InNamesOfFiles) {
  const test::ScratchFolder folder;
  testing_data::draw_folder(folder);
  std::filesystem::copy(folder.path() / "train", folder.path() / "val",
                        std::filesystem::copy_options::recursive);
  const auto of_class = *std::filesystem::directory_iterator(folder.path() / "train");
  folder.write(std::filesystem::relative(of_class.path(), folder.path()) / "ca\xffL.png", "not an image");
  const std::string path = folder.path();
  const char* const argv[] = {"data",        "inspect",    "--dataset", "imagefolder",
                              "--data-path", path.c_str(), "--json"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(data_tools::run(std::size(argv), argv), 1);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), testing::HasSubstr("/ca\xef\xbf\xbdL.png: "));
}

TEST(DrawCommand, RefusesCountsAndSeedsThatAreNoWholeNumbers) {
  const test::ScratchFolder folder;
  const std::string out = folder.path();
  const auto refusal_of = [&out](const char* option, const char* text) {
    const char* const argv[] = {"data", "draw", "--out", out.c_str(), option, text};
    return testing_data::refusal([&argv] { data_tools::run(std::size(argv), argv); });
  };
  const std::string ending = " (see adarun-trainer data --help)";
  EXPECT_EQ(refusal_of("--train", "-1"),
            "--train: \"-1\": wanted a whole number from 0 to 4294967295" + ending);
  EXPECT_EQ(refusal_of("--test", "4294967296"),
            "--test: \"4294967296\": wanted a whole number from 0 to 4294967295" + ending);
  EXPECT_EQ(refusal_of("--seed", "-1"),
            "--seed: \"-1\": wanted a whole number from 0 to 18446744073709551615" + ending);
  EXPECT_TRUE(testing_data::files_below(folder.path()).empty());
}

}  // namespace
}  // namespace adarun::trainer
