// SPDX-License-Identifier: Apache-2.0
#include "trainer/data_tools/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trainer/data_tools/drawn_folder.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

using testing_data::draw_folder;
using testing_data::files_below;

TEST(Write, RefusesToMixImagesWithOthersOfAFolder) {
  const test::ScratchFolder folder;
  draw_folder(folder);
  draw_folder(folder);  // The same ones again.
  std::filesystem::rename(folder.path() / "train/class0000", folder.path() / "train/class0010");
  const auto files = files_below(folder.path());
  try {
    draw_folder(folder);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Exit::refused);
    EXPECT_THAT(error.what(), testing::MatchesRegex(
                                  ".*/train: has other images already \\(class0010/[0-9]+.JPEG\\): wanted a "
                                  "folder without"));
  }
  EXPECT_EQ(files_below(folder.path()), files);
}

}  // namespace
}  // namespace adarun::trainer
