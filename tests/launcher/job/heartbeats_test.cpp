// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/hang_watch.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;
using RankList = std::vector<std::uint32_t>;

// Ranks with a timeout of 10 s that beat once a second from a start time on, each until its own end time.
class PulsesTest : public testing::Test {
 protected:
  void beat(const RankList& ranks, std::chrono::seconds from, std::chrono::seconds to,
            std::chrono::seconds every = 1s) {
    for (auto at = from; at < to; at += every)
      for (const std::uint32_t rank : ranks) pulses_.beat(rank, start_ + at);
  }
  RankList missed_at(std::chrono::seconds at) const { return pulses_.missed(start_ + at); }

  PulsesTest() {
    for (std::uint32_t rank = 0; rank < 5; ++rank) pulses_.start(rank);
  }

  const Heartbeats::Clock::time_point start_{1000s};
  Heartbeats pulses_{5, 10s};
};

TEST_F(PulsesTest, MissOneThatWasRegularWhileTheOthersGoOn) {
  beat({0, 1, 2, 3, 4}, 0s, 25s);
  beat({0, 1, 2, 3}, 25s, 60s);
  EXPECT_EQ(missed_at(24s), RankList());
  EXPECT_EQ(missed_at(60s), RankList{4});
  pulses_.end(4);
  EXPECT_EQ(missed_at(60s), RankList()) << "it runs no more";
}

TEST_F(PulsesTest, DoNotMissOneThatHasBeenRegularForTooShort) {
  beat({0, 1, 2, 3}, 0s, 60s);
  beat({4}, 0s, 20s);
  EXPECT_EQ(missed_at(60s), RankList());
}

TEST_F(PulsesTest, DoNotMissOneThatPausesAnyway) {
  beat({0, 1, 2, 3}, 0s, 120s);
  beat({4}, 0s, 70s, 12s);
  EXPECT_EQ(missed_at(120s), RankList());
}

TEST_F(PulsesTest, MissNobodyWhereOneSpeaksForAll) {
  beat({0}, 0s, 60s);
  EXPECT_EQ(missed_at(60s), RankList());
  beat({0, 1, 2, 3, 4}, 60s, 90s);
  beat({0}, 90s, 150s);
  EXPECT_EQ(missed_at(150s), RankList()) << "all spoke while they started";
}

TEST_F(PulsesTest, MissNobodyWhereAllWaitForOne) {
  beat({0, 1, 2, 3, 4}, 0s, 25s);
  beat({0, 1, 2, 3}, 25s, 29s);
  EXPECT_EQ(missed_at(34s), RankList());
  EXPECT_EQ(missed_at(60s), RankList());
}

TEST_F(PulsesTest, NeedMoreThanHalfOfTheOthersToGoOn) {
  beat({0, 1, 2, 3, 4}, 0s, 25s);
  beat({0, 1}, 25s, 60s);
  EXPECT_EQ(missed_at(60s), RankList());
  for (const std::uint32_t rank : {2U, 3U}) pulses_.end(rank);
  EXPECT_EQ(missed_at(60s), RankList{4}) << "those that have ended do not count";
}

TEST_F(PulsesTest, CountNoSilenceWhileNothingCouldBeHeard) {
  beat({0, 1, 2, 3, 4}, 0s, 25s);
  pulses_.held_up(start_ + 55s);
  beat({0, 1, 2, 3}, 56s, 64s);
  EXPECT_EQ(missed_at(64s), RankList());
  beat({0, 1, 2, 3}, 64s, 66s);
  EXPECT_EQ(missed_at(66s), RankList{4});
}

TEST_F(PulsesTest, BeginAnewWithARankThatStartsAgain) {
  beat({0, 1, 2, 3, 4}, 0s, 25s);
  pulses_.start(4);
  beat({0, 1, 2, 3}, 25s, 60s);
  EXPECT_EQ(missed_at(60s), RankList());
}

}  // namespace
}  // namespace adarun::launcher
