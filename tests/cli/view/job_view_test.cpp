// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cli/view/job_view.h"

namespace adarun::cli {
namespace {

const TerminalShare::Clock::time_point start{};

TEST(TerminalShare, ShowsEverythingToATerminalThatKeepsUp) {
  TerminalShare share;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(share.takes(0, 1 << 20, 0, start));
  EXPECT_EQ(share.last_notice(), "");
}

TEST(TerminalShare, SparesASlowOneTheRanksThatPrintTooMuch) {
  TerminalShare share;
  EXPECT_FALSE(share.takes(3, 2'000'000, TerminalShare::room, start));
  EXPECT_FALSE(share.takes(3, 500'000, TerminalShare::room, start));
  EXPECT_TRUE(share.takes(1, 100, TerminalShare::room, start)) << "one that prints little";
  EXPECT_FALSE(share.takes(1, 100, TerminalShare::most, start)) << "one that is hopelessly slow";
  EXPECT_EQ(share.take_notice(start),
            "... 2.5 MB of ranks 1,3 not shown: the terminal is slower; the logs have all");
  EXPECT_EQ(share.last_notice(), "");
}

TEST(TerminalShare, GivesEachRankItsLittleInEachBeat) {
  TerminalShare share;
  const std::size_t half = TerminalShare::little / 2;
  EXPECT_TRUE(share.takes(0, half, TerminalShare::room, start));
  EXPECT_TRUE(share.takes(0, half, TerminalShare::room, start));
  EXPECT_FALSE(share.takes(0, half, TerminalShare::room, start));
  EXPECT_TRUE(share.takes(0, half, TerminalShare::room, start + TerminalShare::beat));
}

TEST(TerminalShare, SaysSoNotTooOften) {
  TerminalShare share;
  share.takes(0, 10'000, TerminalShare::most, start);
  EXPECT_EQ(share.take_notice(start),
            "... 10 kB of rank 0 not shown: the terminal is slower; the logs have all");
  share.takes(0, 10'000, TerminalShare::most, start);
  EXPECT_EQ(share.take_notice(start), "");
  EXPECT_NE(share.take_notice(start + TerminalShare::between_notices), "");
}

}  // namespace
}  // namespace adarun::cli
