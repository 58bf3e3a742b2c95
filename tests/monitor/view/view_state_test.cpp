// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/view_state.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace adarun::monitor {
namespace {

using Kind = Key::Kind;

Key character(char c) {
  return {Kind::character, c};
}

/// Presses keys on a view of 3 ranks.
struct ViewStateTest : testing::Test {
  monitor::Run run;
  ViewState state;

  ViewStateTest() {
    for (int step = 1; step <= 101; ++step)
      for (const std::uint32_t rank : {0U, 4U, 12U})
        run.feed(rank, "epoch: 1 step: " + std::to_string(step) + ", loss is 1\n");
  }
  void press(const std::string& typed) {
    for (const Key& key : KeyReader().feed(typed)) state.press(key, run);
  }
  std::pair<std::uint64_t, std::uint64_t> shown() const {
    const auto part = state.part_of(run.merged());
    return {part.front().step, part.back().step};
  }
};

TEST_F(ViewStateTest, ZoomsIntoTheEndAndMovesWithinTheRun) {
  EXPECT_EQ(shown(), std::pair(1UL, 101UL));
  press("++");
  EXPECT_EQ(shown(), std::pair(76UL, 101UL));
  EXPECT_EQ(state.describe(), "zoom 4x");
  press("\x1b[D\x1b[D\x1b[D\x1b[D");
  EXPECT_EQ(shown(), std::pair(51UL, 75UL));
  press("\x1b[H");
  EXPECT_EQ(shown().first, 1UL);
  press("\x1b[D");
  EXPECT_EQ(shown().first, 1UL);
  for (int i = 0; i < 40; ++i) press("\x1b[C");
  EXPECT_EQ(shown(), std::pair(76UL, 101UL));
  press("---");
  EXPECT_EQ(state, ViewState());
  for (int i = 0; i < 40; ++i) press("+");
  EXPECT_EQ(shown(), std::pair(101UL, 101UL));
}

TEST_F(ViewStateTest, ChoosesRanksByArrowsAndByNumber) {
  press("\x1b[B");
  EXPECT_EQ(state.rank, 0U);
  press("\x1b[B\x1b[B");
  EXPECT_EQ(state.rank, 12U);
  press("\x1b[B");
  EXPECT_EQ(state.rank, std::nullopt);
  press("\x1b[A");
  EXPECT_EQ(state.rank, 12U);
  press("4\r");
  EXPECT_EQ(state.rank, 4U);
  press("99\r");
  EXPECT_EQ(state.rank, 4U);
  press("a");
  EXPECT_EQ(state, ViewState());
}

TEST_F(ViewStateTest, SmoothsSwitchesTheScaleAndBeginsAnew) {
  press("sl?");
  EXPECT_EQ(state.describe(), "log scale, smooth 4");
  EXPECT_TRUE(state.help);
  press("sss");
  EXPECT_EQ(state.smooth, 1);
  press("s+l1r");
  EXPECT_EQ(state, ViewState());
}

TEST_F(ViewStateTest, KnowsWhichKeysAreNotForIt) {
  EXPECT_FALSE(state.press(character('q'), run));
  EXPECT_TRUE(state.press({Kind::escape}, run));
  EXPECT_TRUE(state.press(character('5'), monitor::Run()));
  EXPECT_TRUE(state.press({Kind::enter}, monitor::Run()));
  EXPECT_EQ(ViewState().part_of({}).size(), 0U);
}

std::vector<Key> read(const std::vector<std::string>& pieces) {
  KeyReader reader;
  std::vector<Key> keys;
  for (const std::string& piece : pieces)
    for (const Key& key : reader.feed(piece)) keys.push_back(key);
  for (const Key& key : reader.finish()) keys.push_back(key);
  return keys;
}

TEST(KeyReader, ReadsCharactersAndArrows) {
  EXPECT_EQ(read({"q+\r"}), (std::vector<Key>{character('q'), character('+'), {Kind::enter}}));
  EXPECT_EQ(read({"\x1b[A\x1b[B\x1bOC\x1bOD"}),
            (std::vector<Key>{{Kind::up}, {Kind::down}, {Kind::right}, {Kind::left}}));
  EXPECT_EQ(read({"\x1b[H\x1b[F\x1b[1~\x1b[4~"}),
            (std::vector<Key>{{Kind::home}, {Kind::end}, {Kind::home}, {Kind::end}}));
}

TEST(KeyReader, JoinsASequenceThatCameInPieces) {
  EXPECT_EQ(read({"\x1b", "[", "A"}), std::vector<Key>{{Kind::up}});
}

TEST(KeyReader, TakesALoneEscapeForTheKey) {
  EXPECT_EQ(read({"\x1b"}), std::vector<Key>{{Kind::escape}});
  EXPECT_EQ(read({"\x1b\x1b"}), (std::vector<Key>{{Kind::escape}, {Kind::escape}}));
}

TEST(KeyReader, LeavesOutWhatMeansNothing) {
  EXPECT_EQ(read({"\x1b[15~\x1b[1;5A\x01\x7f\xc3\xa9\x1bxq"}),
            (std::vector<Key>{{Kind::up}, character('q')}));
  EXPECT_EQ(read({"\x1b[999999999999999999"}), std::vector<Key>{});
}

}  // namespace
}  // namespace adarun::monitor
