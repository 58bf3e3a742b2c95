// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/hang_watch.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

const HangWatch::Clock::time_point start{};

std::optional<std::uint64_t> no_steps(std::uint32_t /*rank*/) {
  return std::nullopt;
}

TEST(HangWatch, WaitsForTheSilenceOfAllRanksThatRun) {
  HangWatch watch(3, 10s);
  EXPECT_EQ(watch.deadline(), std::nullopt) << "nothing runs";
  watch.start(0, start);
  watch.start(1, start + 1s);
  EXPECT_EQ(watch.deadline(), start + 11s);
  watch.hear(0, "line\n", start + 5s);
  EXPECT_EQ(watch.deadline(), start + 15s);
  watch.held_up(start + 20s);
  EXPECT_EQ(watch.deadline(), start + 30s) << "what nobody takes in cannot be heard";
  watch.end(0);
  watch.end(1);
  EXPECT_EQ(watch.deadline(), std::nullopt);
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
  EXPECT_EQ(watch.suspects(no_steps), (std::vector<std::uint32_t>{1, 2, 0}));
  const auto steps = [](std::uint32_t rank) -> std::optional<std::uint64_t> {
    return rank == 1 ? std::nullopt : std::optional<std::uint64_t>(10 - rank);
  };
  EXPECT_EQ(watch.suspects(steps), (std::vector<std::uint32_t>{2, 0, 1}));
  watch.start(3, start + 5s);
  EXPECT_EQ(watch.suspects(no_steps), (std::vector<std::uint32_t>{3, 1, 2, 0}))
      << "3 has printed nothing yet";
  EXPECT_EQ(watch.silence(1, start + 11s), 10s);
}

}  // namespace
}  // namespace adarun::launcher
