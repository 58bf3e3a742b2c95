// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/hang_watch.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

const HangWatch::Clock::time_point start{};

TEST(HangWatch, WaitsForTheSilenceOfAllRanksThatRun) {
  HangWatch watch(3, 10s);
  EXPECT_EQ(watch.deadline(), std::nullopt) << "nothing runs";
  watch.start(0, start);
  watch.start(1, start + 1s);
  EXPECT_EQ(watch.deadline(), start + 11s);
  watch.hear(0, "line\n", start + 5s);
  EXPECT_EQ(watch.deadline(), start + 15s);
  watch.end(0);
  watch.end(1);
  EXPECT_EQ(watch.deadline(), std::nullopt);
}

TEST(HangWatch, DoesNotCountTimeInWhichOutputWaits) {
  HangWatch watch(1, 100s);
  watch.start(0, start);
  watch.advance(start + 10s, false);
  watch.advance(start + 30s, true);
  EXPECT_EQ(watch.deadline(), start + 120s);
  watch.hear(0, "line\n", start + 40s);
  watch.advance(start + 50s, true);
  EXPECT_EQ(watch.deadline(), start + 150s) << "40 s to 50 s";
  watch.advance(start + 149s, false);
  watch.advance(start + 150s, true);
  EXPECT_EQ(watch.deadline(), start + 160s) << "there is time to read it";
}

TEST(HangWatch, ComesThoughTheLinkOfANodeIsCutAgainAndAgain) {
  HangWatch watch(1, 100s);
  watch.start(0, start);
  auto now = start;
  for (int cut = 0; cut < 4; ++cut) {
    watch.advance(now += 30s, false);
    watch.advance(now += 1s, true);
  }
  EXPECT_EQ(watch.deadline(), now + 10s) << "there is time to read what waits, and no more";
}

TEST(HangWatch, NeverComesWithoutATimeout) {
  HangWatch watch(1, std::nullopt);
  watch.start(0, start);
  EXPECT_EQ(watch.deadline(), std::nullopt);
}

TEST(HangWatch, SuspectsTheRankThatIsFurthestBehind) {
  HangWatch watch(4, 10s);
  for (std::uint32_t rank = 0; rank < 4; ++rank) watch.start(rank, start);
  watch.hear(0, "line\n", start + 3s);
  watch.hear(1, "line\n", start + 1s);
  watch.hear(2, "line\n", start + 2s);
  watch.hear(3, "line\n", start + 2s);
  watch.end(3);
  EXPECT_EQ(watch.suspects(), (std::vector<std::uint32_t>{1, 2, 0}));
  watch.start(3, start + 5s);
  EXPECT_EQ(watch.suspects(), (std::vector<std::uint32_t>{3, 1, 2, 0})) << "3 has printed nothing yet";
  watch.step(0, 10, start + 6s);
  watch.step(2, 8, start + 6s);
  EXPECT_EQ(watch.suspects(), (std::vector<std::uint32_t>{2, 0, 3, 1})) << "steps say more than lines";
  EXPECT_EQ(watch.silence(1, start + 11s), 10s);
}

class StragglersTest : public testing::Test {
 protected:
  StragglersTest() {
    for (std::uint32_t rank = 0; rank < 4; ++rank) watch_.start(rank, start);
  }

  // Each of these ranks prints a line, and makes a step, every second in this interval.
  void print(const std::vector<std::uint32_t>& ranks, std::chrono::seconds from, std::chrono::seconds to) {
    for (auto at = from; at < to; at += 1s)
      for (const std::uint32_t rank : ranks) watch_.hear(rank, "line\n", start + at);
  }
  void step(const std::vector<std::uint32_t>& ranks, std::chrono::seconds from, std::chrono::seconds to) {
    for (auto at = from; at < to; at += 1s)
      for (const std::uint32_t rank : ranks)
        watch_.step(rank, static_cast<std::uint64_t>(at.count()), start + at);
  }

  using Stragglers = std::vector<HangWatch::Straggler>;

  HangWatch watch_{4, 10s};
};

TEST_F(StragglersTest, AreTheSilentOnesAndAreToldOnce) {
  print({0, 1, 2, 3}, 1s, 30s);
  print({0, 1, 3}, 30s, 60s);
  EXPECT_EQ(watch_.next_look(), HangWatch::Clock::time_point{} + 1250ms);
  EXPECT_EQ(watch_.take_stragglers(start + 60s), (Stragglers{{2, false}}));
  EXPECT_EQ(watch_.next_look(), start + 61250ms);
  print({0, 1, 3}, 60s, 70s);
  EXPECT_EQ(watch_.take_stragglers(start + 70s), Stragglers());
}

TEST_F(StragglersTest, AreThoseAsWellThatPrintButMakeNoStep) {
  print({0, 1, 2, 3}, 1s, 60s);
  step({0, 1, 2, 3}, 1s, 30s);
  step({0, 1, 3}, 30s, 60s);
  EXPECT_EQ(watch_.take_stragglers(start + 60s), (Stragglers{{2, true}}));
  EXPECT_EQ(watch_.step_of(2), 29U);
  EXPECT_EQ(watch_.since_step(2, start + 60s), 31s);
}

TEST_F(StragglersTest, AreNotThoseWhoseStepsOnlyOneRankPrints) {
  print({0, 1, 2, 3}, 1s, 60s);
  step({0}, 1s, 30s);
  EXPECT_EQ(watch_.take_stragglers(start + 60s), Stragglers());
}

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
