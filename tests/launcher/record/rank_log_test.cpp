// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "launcher/record/rank_log.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;

class RankLogTest : public testing::Test {
 protected:
  fs::path file() const { return scratch_.path() / "log"; }

  std::string content() const { return test::content_of(file()); }

  test::ScratchFolder scratch_;
  base::OutputFolder folder_{scratch_.path()};
};

TEST_F(RankLogTest, HasEveryByteWithoutALimit) {
  RankLog log(folder_, "log", {});
  for (int i = 0; i < 100; ++i) log.write(std::string(1000, 'x'));
  EXPECT_EQ(content(), std::string(100'000, 'x'));
}

TEST_F(RankLogTest, HasEveryByteUpToItsLimit) {
  RankLog log(folder_, "log", 100);
  for (int i = 0; i < 10; ++i) log.write("123456789\n");
  std::string all;
  for (int i = 0; i < 10; ++i) all += "123456789\n";
  EXPECT_EQ(content(), all);
}

TEST_F(RankLogTest, KeepsWholeLinesOfBeginningAndEndAndSaysWhatIsLeftOut) {
  RankLog log(folder_, "log", 40);
  for (int i = 10; i < 100; ++i) log.write("line " + std::to_string(i) + "\n");
  EXPECT_EQ(content(), "line 10\nline 11\n[adarun: 696 bytes are left out here: --log-limit]\nline 99\n");
  log.write("line AA\n");
  EXPECT_TRUE(content().ends_with("696 bytes are left out here: --log-limit]\nline 99\nline AA\n"))
      << content();
}

TEST_F(RankLogTest, HasWhatWasWrittenLastAtOnce) {
  RankLog log(folder_, "log", 40);
  log.write(std::string(100, 'a'));
  for (const char* last : {"\nfresh\n", "newer\n", "newest\n"}) {
    log.write(last);
    EXPECT_TRUE(content().ends_with(last)) << content();
  }
}

TEST_F(RankLogTest, KeepsTheEndOfALineWithoutAnEnd) {
  RankLog log(folder_, "log", 40);
  for (int i = 0; i < 1000; ++i) log.write(std::string(10, 'a'));
  EXPECT_EQ(content(), std::string(20, 'a') + "\n[adarun: 9960 bytes are left out here: --log-limit]\n" +
                           std::string(20, 'a'));
}

TEST_F(RankLogTest, KeepsTheBeginningOfWhatComesAtOnce) {
  RankLog log(folder_, "log", 40);
  log.write("one\ntwo\n" + std::string(1000, 'x') + "\nlast\n");
  EXPECT_EQ(content(), "one\ntwo\n[adarun: 1001 bytes are left out here: --log-limit]\nlast\n");
}

// Which line_times.txt says.
TEST_F(RankLogTest, BeginsItsEndBehindTheLongestBeginning) {
  constexpr std::uint64_t limit = 4096;
  RankLog log(folder_, "log", limit);
  log.write("first\n");
  for (int i = 0; i < 1000; ++i) log.write(std::string(1000, 'b'));
  log.write("\nlast\n");
  EXPECT_EQ(content().find("first\n[adarun: "), 0U);
  EXPECT_GE(content().find("\n", 10) + 1, RankLog::beginning_of(limit));
  EXPECT_LE(content().size(), limit + 100);
}

TEST_F(RankLogTest, GivesItsLastLines) {
  RankLog log(folder_, "log", {});
  EXPECT_TRUE(log.last_lines(2).empty());
  log.write("1\n2\n3\n4");
  EXPECT_EQ(log.last_lines(2), (std::vector<std::string>{"3", "4"}));
  EXPECT_EQ(log.last_lines(9).size(), 4U);
}

}  // namespace
}  // namespace adarun::launcher
