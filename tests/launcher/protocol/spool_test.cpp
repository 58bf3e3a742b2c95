// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/spool.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "launcher/protocol/archive.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher::protocol {
namespace {

namespace fs = std::filesystem;

class SpoolTest : public testing::Test {
 protected:
  // Everything to be sent, a few bytes at a time.
  static std::string send_all(Spool& spool) {
    std::string bytes;
    for (std::string_view next = spool.unsent(); !next.empty(); next = spool.unsent()) {
      const std::string_view some = next.substr(0, 7);
      bytes += some;
      spool.sent(some.size());
    }
    return bytes;
  }

  static std::string frames(int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += "frame " + std::to_string(i) + ";";
    return all;
  }

  void append(Spool& spool, int count) {
    for (int i = 0; i < count; ++i) spool.append("frame " + std::to_string(i) + ";");
  }

  // What an agent has left that could not deliver 50 frames.
  void leave_frames() {
    Spool spool;
    spool.spill(file(), 0, 100'000);
    append(spool, 50);
  }

  std::string file() const { return folder_ / "made" / "stream"; }

  test::ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
};

TEST_F(SpoolTest, SendsInOrderAndAgainFromWhereTheOtherSideStands) {
  Spool spool;
  append(spool, 100);
  const std::string all = frames(100);
  EXPECT_EQ(send_all(spool), all);
  spool.acknowledge(10);
  spool.rewind(25);
  EXPECT_EQ(send_all(spool), all.substr(25));
  EXPECT_EQ(spool.kept_bytes(), all.size() - 10);
  EXPECT_THROW(spool.rewind(9), Error);
  EXPECT_THROW(spool.rewind(all.size() + 1), Error);
  EXPECT_THROW(spool.acknowledge(all.size() + 1), Error);
}

TEST_F(SpoolTest, GoesThroughAFileBeyondItsMemory) {
  Spool spool;
  spool.spill(file(), 100, 100'000);
  EXPECT_FALSE(fs::exists(file()));
  append(spool, 1000);
  EXPECT_TRUE(fs::exists(file()));
  struct stat facts {};
  ASSERT_EQ(stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  ASSERT_EQ(stat((folder_ / "made").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
  const std::string all = frames(1000);
  EXPECT_EQ(send_all(spool), all);
  spool.rewind(90);
  EXPECT_EQ(send_all(spool), all.substr(90));
  spool.acknowledge(all.size());
  EXPECT_EQ(fs::file_size(file()), 0U);
  append(spool, 3);
  EXPECT_EQ(send_all(spool), frames(3));
}

TEST_F(SpoolTest, HasNoRoomBeyondItsBoundsAndTakesMoreAllTheSame) {
  Spool spool;
  spool.spill(file(), 100, 500);
  EXPECT_TRUE(spool.has_room());
  append(spool, 200);
  EXPECT_FALSE(spool.has_room());
  EXPECT_EQ(send_all(spool), frames(200));
}

TEST_F(SpoolTest, StaysInMemoryWhereTheFileCannotBeMade) {
  Spool spool;
  spool.spill("/dev/null/stream", 100, 100'000);
  append(spool, 200);
  EXPECT_FALSE(spool.has_room());
  EXPECT_EQ(send_all(spool), frames(200));
}

std::string read_back(const std::string& file) {
  KeptStream kept(file);
  std::string bytes;
  while (const auto piece = kept.next()) bytes += *piece;
  return bytes;
}

TEST_F(SpoolTest, KeepsWhatWasNotDelivered) {
  {
    Spool spool;
    spool.spill(file(), 100, 100'000);
    append(spool, 500);
    send_all(spool);
    spool.acknowledge(frames(300).size());
    spool.keep();
  }
  ASSERT_TRUE(KeptStream(file()).found());
  const std::string bytes = read_back(file());
  EXPECT_TRUE(bytes.ends_with(frames(500).substr(frames(300).size())));
  EXPECT_TRUE(frames(500).ends_with(bytes));
  EXPECT_TRUE(bytes.starts_with("frame "));
}

TEST_F(SpoolTest, ReadsBackUpToAPieceThatWasBeingWritten) {
  leave_frames();
  std::ofstream(file(), std::ios::app) << std::string(16, '\0') << "half a piece, whose header never came";
  EXPECT_EQ(read_back(file()), frames(50));
}

TEST_F(SpoolTest, RefusesAFileThatWasCutShort) {
  leave_frames();
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 5);
  EXPECT_THROW(KeptStream{file()}, Error);
}

TEST_F(SpoolTest, WritesIntoNoFileThatWasThereBefore) {
  fs::create_directories(fs::path(file()).parent_path());
  std::ofstream(file()) << "somebody's";
  std::ifstream reader(file());
  leave_frames();
  EXPECT_EQ(read_back(file()), frames(50));
  std::string seen;
  std::getline(reader, seen);
  EXPECT_EQ(seen, "somebody's") << "who holds it open reads what is kept";
}

TEST_F(SpoolTest, ReadsBackNothingOfAnotherUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  leave_frames();
  ASSERT_EQ(::chown(file().c_str(), 65'533, 65'533), 0);
  EXPECT_THROW(KeptStream{file()}, Error);
}

TEST_F(SpoolTest, ReadsBackNothingButAFile) {
  fs::create_directories(fs::path(file()).parent_path());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);  // Opening it blocks until there is a writer.
  EXPECT_THROW(KeptStream{file()}, Error);
}

TEST_F(SpoolTest, FindsNothingWhereNothingWasKept) {
  EXPECT_FALSE(KeptStream(file()).found());
}

}  // namespace
}  // namespace adarun::launcher::protocol
