// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/log_watch.h"

#include <gtest/gtest.h>

#include "monitor/base/error.h"
#include "tests/monitor/packed.h"
#include "tests/scratch_folder.h"

namespace adarun::monitor {
namespace {

TEST(LogWatch, FindsLogsThatComeLaterAndKeepsTheirRanks) {
  const test::ScratchFolder scratch;
  LogWatch watch({scratch.path()});
  EXPECT_FALSE(watch.find());
  const auto later = scratch.write("node1/device0/train.log", "b");
  EXPECT_TRUE(watch.find());
  const auto first = scratch.write("node0/device0/train.log", "a");
  EXPECT_TRUE(watch.find());
  EXPECT_FALSE(watch.find());
  EXPECT_EQ(watch.logs(), (std::vector<LogFile>{{0, later}, {1, first}}));
}

TEST(LogWatch, TakesALogThatIsCompressedMeanwhileForTheSame) {
  const test::ScratchFolder scratch;
  scratch.write("worker_0.log", "read");
  LogWatch watch({scratch.path()});
  EXPECT_TRUE(watch.find());
  std::string seen;
  const auto take = [&seen](const LogFile&, bool, std::string_view bytes) { seen += bytes; };
  EXPECT_TRUE(watch.poll(take));
  std::filesystem::remove(scratch.path() / "worker_0.log");
  const auto compressed = scratch.write("worker_0.log.gz", packed("read and not read"));
  EXPECT_TRUE(watch.find());
  EXPECT_EQ(watch.logs(), (std::vector<LogFile>{{0, compressed}}));
  EXPECT_TRUE(watch.poll(take));
  EXPECT_EQ(seen, "read and not read");
}

TEST(LogWatch, TakesALogBesideItsCompressedFormForAnotherOne) {
  const test::ScratchFolder scratch;
  const auto plain = scratch.write("a.log", "one");
  const auto compressed = scratch.write("a.log.gz", packed("two"));
  LogWatch watch({plain, compressed});
  EXPECT_TRUE(watch.find());
  EXPECT_EQ(watch.size(), 2U);
}

TEST(LogWatch, LooksAgainForAFolderThatIsMissingForAMoment) {
  const test::ScratchFolder scratch;
  scratch.write("logs/worker_0.log", "a");
  LogWatch watch({scratch.path() / "logs"});
  watch.find();
  for (int attempt = 0; attempt < 2; ++attempt) {
    std::filesystem::remove_all(scratch.path() / "logs");
    for (int look = 0; look < 10; ++look) EXPECT_FALSE(watch.find_again());
    scratch.write("logs/worker_1.log", "b");
    EXPECT_EQ(watch.find_again(), attempt == 0);
  }
  std::filesystem::remove_all(scratch.path() / "logs");
  for (int look = 0; look < 10; ++look) EXPECT_FALSE(watch.find_again());
  EXPECT_THROW(watch.find_again(), Error);
}

TEST(LogWatch, ReadsOnlyTheRanksAskedFor) {
  const test::ScratchFolder scratch;
  scratch.write("worker_0.log", "zero");
  scratch.write("worker_1.log", "one");
  LogWatch watch({scratch.path()});
  watch.only({1});
  watch.find();
  std::string seen;
  EXPECT_TRUE(watch.poll([&](const LogFile& log, bool anew, std::string_view bytes) {
    seen += std::to_string(log.rank) + (anew ? " anew " : " ") + std::string(bytes);
  }));
  EXPECT_EQ(seen, "1 one");
  EXPECT_FALSE(watch.poll([](const LogFile&, bool, std::string_view) {}));
}

TEST(LogWatch, ComesToTheNextLogThoughTheOneBeforeGrowsAsItIsRead) {
  const test::ScratchFolder scratch;
  scratch.write("worker_0.log", "zero\n");
  scratch.write("worker_1.log", "one\n");
  LogWatch watch({scratch.path()});
  watch.find();
  std::string seen;
  int calls = 0;
  watch.drain([&](const LogFile&, bool, std::string_view bytes) {
    seen += bytes;
    scratch.append("worker_0.log", "more\n");
    scratch.append("worker_1.log", "more\n");
    return ++calls < 100;
  });
  EXPECT_EQ(seen, "zero\none\n");
  EXPECT_TRUE(watch.poll([&](const LogFile&, bool, std::string_view bytes) { seen += bytes; }));
  EXPECT_EQ(seen, "zero\none\nmore\nmore\nmore\nmore\n");
}

}  // namespace
}  // namespace adarun::monitor
