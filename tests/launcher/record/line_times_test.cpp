// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/line_times.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class LineTimesTest : public testing::Test {
 protected:
  LineTimesTest() { fs::create_directories(folder_); }
  ~LineTimesTest() override { fs::remove_all(folder_); }

  void write(const std::string& text) const { std::ofstream(folder_ / LineTimes::file_name) << text; }
  std::string content() const {
    std::ifstream file(folder_ / LineTimes::file_name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("line_times_" + std::to_string(getpid()));
  const LineTimes::Clock::time_point start_{std::chrono::hours(1)};
};

TEST_F(LineTimesTest, SaysOfAllRanksInOneLineWhatCameAboutTheSameTime) {
  LineTimes times(base::OutputFolder(folder_), 3, std::nullopt);
  times.add(2, 5, start_);
  times.add(0, 7, start_ + milliseconds(1));
  times.add(2, 1, start_ + milliseconds(2));
  EXPECT_EQ(content(), "adarun line times 1 -\n");
  times.tick(start_ + milliseconds(10));
  EXPECT_TRUE(content().ends_with(" 2:6 0:7\n")) << content();
  times.add(1, 9, start_ + milliseconds(20));
  times.finish();
  EXPECT_TRUE(content().ends_with(" 1:9\n")) << content();
}

TEST_F(LineTimesTest, CanBeReadWhileItIsWritten) {
  LineTimes times(base::OutputFolder(folder_), 2, std::nullopt);
  EXPECT_EQ(ArrivalTimes::in(folder_)->at(0, 0, 0), std::nullopt);
  times.add(0, 5, start_);
  times.finish();
  const auto read = ArrivalTimes::in(folder_);
  EXPECT_GT(read->at(0, 4, 5), 1'600'000'000'000);
  EXPECT_EQ(read->at(1, 0, 0), std::nullopt);
}

TEST_F(LineTimesTest, NeverGrowsBeyondItsBound) {
  LineTimes times(base::OutputFolder(folder_), 4096, std::nullopt);
  auto now = start_;
  for (int i = 0; i < 1500; ++i, now += std::chrono::seconds(10))
    for (std::uint32_t rank = 0; rank < 4096; ++rank) times.add(rank, 1'000'000, now);
  times.finish();
  EXPECT_LE(fs::file_size(folder_ / LineTimes::file_name), (64U << 20U) + 4096 * 20);
  EXPECT_GT(fs::file_size(folder_ / LineTimes::file_name), 63U << 20U);
}

TEST_F(LineTimesTest, WithoutRoomThereAreNoTimesAndNoHarm) {
  const base::OutputFolder gone(folder_ / "missing");
  fs::remove(folder_ / "missing");
  LineTimes times(gone, 2, std::nullopt);
  times.add(0, 5, start_);
  times.tick(start_ + milliseconds(100));
  times.finish();
  EXPECT_FALSE(ArrivalTimes::in(folder_ / "missing"));
}

TEST_F(LineTimesTest, TellsWhenEachByteHadCome) {
  write("adarun line times 1 -\n1000 0:10 1:5\n2000 0:10\n3000 1:1 0:5\n4000 0:");
  const auto times = ArrivalTimes::in(folder_);
  EXPECT_EQ(times->at(0, 0, 25), 1000);
  EXPECT_EQ(times->at(0, 9, 25), 1000);
  EXPECT_EQ(times->at(0, 10, 25), 2000);
  EXPECT_EQ(times->at(0, 24, 25), 3000);
  EXPECT_EQ(times->at(0, 90, 100), 3000) << "brought home later";
  EXPECT_EQ(times->at(1, 5, 6), 3000);
  EXPECT_EQ(times->at(7, 0, 1), std::nullopt);
}

TEST_F(LineTimesTest, CountsFromBehindWhereALogIsCutInTheMiddle) {
  write("adarun line times 1 10\n1000 0:10\n2000 0:1000\n3000 0:10\n");
  const auto times = ArrivalTimes::in(folder_);
  EXPECT_EQ(times->at(0, 9, 60), 1000);
  EXPECT_EQ(times->at(0, 59, 60), 3000);
  EXPECT_EQ(times->at(0, 50, 60), 3000);
  EXPECT_EQ(times->at(0, 49, 60), 2000);
}

TEST_F(LineTimesTest, IsNoneOfOursWithAnotherTitle) {
  EXPECT_FALSE(ArrivalTimes::in(folder_));
  write("1000 0:10\n");
  EXPECT_FALSE(ArrivalTimes::in(folder_));
}

TEST_F(LineTimesTest, IsNoneOfOursWhereItHasNoEndOrIsTooLarge) {
  const fs::path file = folder_ / LineTimes::file_name;
  fs::create_symlink("/dev/zero", file);
  EXPECT_FALSE(ArrivalTimes::in(folder_));
  fs::remove(file);
  write("adarun line times 1 -\n1000 0:10\n");
  EXPECT_TRUE(ArrivalTimes::in(folder_));
  fs::resize_file(file, (std::uintmax_t{128} << 20U) + 1);
  EXPECT_FALSE(ArrivalTimes::in(folder_));
}

TEST_F(LineTimesTest, LeavesOutWhatIsNoTime) {
  write("adarun line times 1 -\nx 0:5\n1000\n1001 0\n1002 99999999:5\n1003 -1:4\n1004 0:3 junk 1:7\n");
  const auto times = ArrivalTimes::in(folder_);
  EXPECT_EQ(times->at(0, 0, 3), 1004);
  EXPECT_EQ(times->at(1, 0, 7), std::nullopt);
}

}  // namespace
}  // namespace adarun::launcher
