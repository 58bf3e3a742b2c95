// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/unpacked_logs.h"

#include <gtest/gtest.h>

#include "monitor/base/error.h"
#include "monitor/web/log_page.h"
#include "tests/monitor/packed.h"
#include "tests/scratch_folder.h"

namespace adarun::monitor::web {
namespace {

constexpr std::uint64_t end = ~std::uint64_t{0};

std::string last_line(const UnpackedLog& log) {
  const LogPage page = read_page(log.path(), {end, LogQuery::Direction::before, 1, ""});
  return page.lines.empty() ? "" : page.lines[0].text;
}

struct Unpacked : testing::Test {
  test::ScratchFolder scratch;
  std::filesystem::path log = scratch.write("a.log.gz", packed("one\ntwo\n"));
  UnpackedLogs logs;
};

TEST_F(Unpacked, IsReadAsAnyLog) {
  const auto unpacked = logs.unpack(log);
  EXPECT_EQ(last_line(*unpacked), "two");
  EXPECT_EQ(read_page(unpacked->path(), {0, LogQuery::Direction::after, 9, "O"}).lines.size(), 2U);
}

TEST_F(Unpacked, IsUnpackedOnceAndAgainWhenItHasChanged) {
  const auto before = logs.unpack(log);
  EXPECT_EQ(logs.unpack(log), before);
  scratch.append("a.log.gz", packed("three\n"));
  EXPECT_EQ(last_line(*logs.unpack(log)), "three");
  EXPECT_EQ(last_line(*before), "two") << "whoever reads it keeps it";
}

TEST_F(Unpacked, LeavesRoomForOthers) {
  const auto first = logs.unpack(log);
  for (std::size_t i = 0; i < UnpackedLogs::most_kept; ++i)
    logs.unpack(scratch.write("b" + std::to_string(i) + ".gz", packed("b\n")));
  EXPECT_NE(logs.unpack(log), first);
}

TEST_F(Unpacked, RefusesWhatIsTooLargeOrNotPacked) {
  UnpackedLogs small(7);
  EXPECT_THROW(small.unpack(log), Error);
  EXPECT_EQ(last_line(*UnpackedLogs(8).unpack(log)), "two");
  EXPECT_THROW(logs.unpack(scratch.write("c.gz", "plain\n")), Error);
}

}  // namespace
}  // namespace adarun::monitor::web
