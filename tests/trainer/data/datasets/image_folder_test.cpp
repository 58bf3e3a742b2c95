// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/image_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ranges>

#include "tests/trainer/data_tools/drawn_folder.h"
#include "tests/trainer/refusal.h"

namespace adarun::trainer {
namespace {

using testing_data::draw_folder;
using testing_data::refusal;

TEST(ImageFolder, TakesClassesByTheirSortedNames) {
  const test::ScratchFolder folder;
  draw_folder(folder);
  const ImageFolder data(folder.path(), DatasetPart::train);
  ASSERT_EQ(data.size(), 20U);
  EXPECT_EQ(data.classes(), 10) << "also those of which there is no image";
  EXPECT_TRUE(std::ranges::is_sorted(std::views::iota(std::size_t{0}, data.size()) |
                                     std::views::transform([&](std::size_t i) { return data.label(i); })));
  for (std::size_t i = 0; i < data.size(); ++i)
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "train" / data.file_name(i))) << data.file_name(i);
}

TEST(ImageFolder, GivesAnotherPartEachTimeToLearnFromAndTheMiddleToMeasureOn) {
  const test::ScratchFolder folder;
  draw_folder(folder);
  const ImageFolder data(folder.path(), DatasetPart::train);
  const auto view = [&](Random* random) {
    std::vector<float> values(std::size_t{3} * 24 * 24);
    data.sample(5, {24, random}, values);
    return values;
  };
  Random random(1);
  const auto first = view(&random);
  EXPECT_NE(view(&random), first);
  Random again(1);
  EXPECT_EQ(view(&again), first);
  EXPECT_EQ(view(nullptr), view(nullptr));
}

TEST(ImageFolder, TellsOfFilesThatItLeavesOut) {
  const test::ScratchFolder folder;
  draw_folder(folder);
  folder.write("train/class0003/.DS_Store", "");
  folder.write("train/.ipynb_checkpoints/1.JPEG", "");
  EXPECT_EQ(ImageFolder(folder.path(), DatasetPart::train).classes(), 10);
  EXPECT_EQ(ImageFolder(folder.path(), DatasetPart::train).note(), "");
  const std::string gif = folder.write("train/class0003/1.gif", "").string();
  const std::string of = "left out: 1 file in the folders of classes, not named .JPEG, .jpeg, .jpg or .png: ";
  EXPECT_EQ(ImageFolder(folder.path(), DatasetPart::train).note(), of + gif);
  folder.write("train/class0004/2.webp", "");
  folder.write("train/class0004/2.PNG", "");
  const ImageFolder data(folder.path(), DatasetPart::train);
  EXPECT_EQ(data.size(), 21U) << "the PNG too";
  EXPECT_TRUE(data.note().starts_with("left out: 2 files in the folders")) << data.note();
  EXPECT_TRUE(data.note().ends_with(gif + " and so on")) << data.note();
}

TEST(ImageFolder, RefusesWhatIsNoSuchFolder) {
  const test::ScratchFolder folder;
  const auto open = [&](DatasetPart part) { return refusal([&] { ImageFolder(folder.path(), part); }); };
  EXPECT_NE(open(DatasetPart::train).find("train: cannot be listed"), std::string::npos);
  folder.write("train/cat/readme.txt", "");
  EXPECT_NE(open(DatasetPart::train).find("has no .JPEG"), std::string::npos);
  EXPECT_NE(open(DatasetPart::test).find("has no folder validation_preprocess"), std::string::npos);
  folder.write("val/dog/1.jpg", "");
  EXPECT_NE(open(DatasetPart::test).find("val/dog: a class that "), std::string::npos);
}

}  // namespace
}  // namespace adarun::trainer
