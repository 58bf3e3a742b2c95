// SPDX-License-Identifier: Apache-2.0
#include "trainer/data_tools/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/trainer/data_tools/drawn_folder.h"

namespace adarun::trainer {
namespace {

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

}  // namespace
}  // namespace adarun::trainer
