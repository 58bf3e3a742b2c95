// SPDX-License-Identifier: Apache-2.0
#include "trainer/data_tools/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "tests/trainer/data_tools/drawn_folder.h"
#include "tests/trainer/refusal.h"

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
  EXPECT_THAT(testing_data::refusal(Exit::refused, [&] { draw_folder(folder); }),
              testing::MatchesRegex(".*/train: has other images already \\(class0010/[0-9]+.JPEG\\): wanted "
                                    "a folder without"));
  EXPECT_EQ(files_below(folder.path()), files);
}

/// Files of this process cannot get longer meanwhile, as on a disk that is full.
class LongestFile {
 public:
  explicit LongestFile(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit narrow{bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &narrow), 0);
  }
  ~LongestFile() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  LongestFile(const LongestFile&) = delete;
  LongestFile& operator=(const LongestFile&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(Write, WritesThroughNoLinkThatWasLeftThere) {
  const test::ScratchFolder folder;
  draw_folder(folder);
  folder.write("private", "mine");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "train"))
    if (entry.path().extension() == ".JPEG")
      std::filesystem::create_symlink(folder.path() / "private", entry.path().string() + ".unfinished");
  draw_folder(folder);
  EXPECT_EQ(test::content_of(folder.path() / "private"), "mine");
}

TEST(Write, LeavesNothingOfAFileThatCannotBeWritten) {
  const ColourDigits digits(DatasetPart::train, 1, 20, 40, true);
  for (const std::string& format : data_tools::format_names()) {
    const test::ScratchFolder folder;
    {
      const LongestFile full(100);
      EXPECT_THROW(data_tools::write(digits, 20, format, folder.path(), DatasetPart::train), Error) << format;
    }
    EXPECT_TRUE(files_below(folder.path()).empty()) << format;
  }
}

}  // namespace
}  // namespace adarun::trainer
