// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/status_table.h"

#include <gtest/gtest.h>

namespace adarun::cli {
namespace {

using namespace std::chrono_literals;

TEST(StatusTable, HasALineForEachRank) {
  EXPECT_EQ(status_table({{0, "node1", "running", 17, 300ms, 200ms, "loss\tis 2.3"},
                          {1, "node2", "running", {}, {}, 12s, ""},
                          {10, "node2", "done", 18, {}, {}, "bye"}},
                         16),
            "RANK  NODE   STATE    STEP  STEPPED     PRINTED     LAST LINE\n"
            "   0  node1  running  17    300 ms ago  200 ms ago  loss is 2.3\n"
            "   1  node2  running  -     -           12 s ago\n"
            "  10  node2  done     18    -           -           bye\n");
}

TEST(StatusTable, HasAColumnOfRolesWhereThereAreSome) {
  std::vector<RankStatusRow> ranks{{3, "n", "running", {}, {}, 12s, "hi"}};
  ranks[0].role = "decode";
  EXPECT_EQ(status_table(ranks, 2),
            "RANK  ROLE    NODE  STATE    STEP  STEPPED  PRINTED   LAST LINE\n"
            "   3  decode  n     running  -     -        12 s ago  hi\n");
}

TEST(StatusTable, SaysOfARankThatItHasNotPrintedYet) {
  EXPECT_EQ(status_table(
                {{0, "n", "running", {}, {}, 12s, "", false}, {1, "n", "waiting", {}, {}, {}, "", false}}, 2),
            "RANK  NODE  STATE    STEP  STEPPED  PRINTED  LAST LINE\n"
            "   0  n     running  -     -        not yet\n"
            "   1  n     waiting  -     -        -\n");
}

TEST(StatusTable, ShowsThoseThatHaveBeenIdleForLongestWhereThereAreMany) {
  std::vector<RankStatusRow> ranks;
  for (std::uint32_t rank = 0; rank < 9; ++rank) ranks.push_back({rank, "n", "running", {}, {}, 1s, ""});
  ranks[3].silent = 8s;
  ranks[7] = {7, "n", "running", 5, 9s, 1s, ""};
  EXPECT_EQ(status_table(ranks, 2),
            "RANK  NODE  STATE    STEP  STEPPED  PRINTED  LAST LINE\n"
            "   7  n     running  5     9 s ago  1 s ago\n"
            "   3  n     running  -     -        8 s ago\n"
            "... and 7 more ranks that have done something since; -a shows all\n");
}

TEST(StatusTable, PassesNoControlSequenceOfARankOn) {
  const std::string table = status_table({{0,
                                           "n",
                                           "running",
                                           {},
                                           {},
                                           {},
                                           "a\x1b[2Jb\x7f"
                                           "c\xc2\x9b"
                                           "31md\x9b"
                                           "1me\xe2\x80\xae"
                                           "f"}},
                                         1);
  const std::string replaced = "\xef\xbf\xbd";
  EXPECT_NE(table.find("ab\xe2\x90\xa1"
                       "c" +
                       replaced + "31md" + replaced + "1me" + replaced + "f\n"),
            std::string::npos)
      << table;
}

TEST(StatusTable, CutsALongLineBetweenCharacters) {
  const std::string table = status_table({{0, "n", "running", {}, {}, {}, std::string(59, 'x') + "äöü"}}, 1);
  EXPECT_NE(table.find("xxx...\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace adarun::cli
