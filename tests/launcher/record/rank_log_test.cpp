// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <filesystem>

#include "launcher/record/rank_log.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;

const RankLog::Clock::time_point start{};

class RankLogTest : public testing::Test {
 protected:
  fs::path file() const { return scratch_.path() / "log"; }

  std::string content() const { return test::content_of(file()); }

  test::ScratchFolder scratch_;
};

TEST_F(RankLogTest, HasEveryByteWithoutALimit) {
  RankLog log(file(), {});
  for (int i = 0; i < 100; ++i) log.write(std::string(1000, 'x'), start);
  EXPECT_EQ(content(), std::string(100'000, 'x'));
}

TEST_F(RankLogTest, HasEveryByteUpToItsLimit) {
  RankLog log(file(), 100);
  for (int i = 0; i < 10; ++i) log.write("123456789\n", start);
  log.write_end();
  std::string all;
  for (int i = 0; i < 10; ++i) all += "123456789\n";
  EXPECT_EQ(content(), all);
}

TEST_F(RankLogTest, KeepsBeginningAndEndAndSaysWhatIsLeftOut) {
  RankLog log(file(), 40);
  std::string all;
  for (int i = 10; i < 100; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";  // 8 bytes
    log.write(line, start);
    all += line;
  }
  log.write_end();
  EXPECT_EQ(content(),
            all.substr(0, 20) + "\n[adarun: 684 bytes are left out here: --log-limit]\nline 98\nline 99\n");
  log.write("line AA\n", start);
  log.write_end();
  EXPECT_TRUE(content().ends_with("692 bytes are left out here: --log-limit]\nline 99\nline AA\n"))
      << content();
}

TEST_F(RankLogTest, BringsTheEndUpToDateNowAndThen) {
  RankLog log(file(), 40);
  log.write(std::string(100, 'a'), start);
  log.write("\nfresh\n", start);
  EXPECT_FALSE(content().ends_with("fresh\n"));
  log.write("newer\n", start + RankLog::between_ends);
  EXPECT_TRUE(content().ends_with("fresh\nnewer\n")) << content();
}

TEST_F(RankLogTest, KeepsTheEndOfALineWithoutAnEnd) {
  RankLog log(file(), 40);
  for (int i = 0; i < 1000; ++i) log.write(std::string(10, 'a'), start);
  log.write_end();
  EXPECT_EQ(content(), std::string(20, 'a') + "\n[adarun: 9960 bytes are left out here: --log-limit]\n" +
                           std::string(20, 'a'));
}

}  // namespace
}  // namespace adarun::launcher
