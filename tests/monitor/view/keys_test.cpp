// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/keys.h"

#include <gtest/gtest.h>

namespace adarun::monitor {
namespace {

using Kind = Key::Kind;

std::vector<Key> read(const std::vector<std::string>& pieces) {
  KeyReader reader;
  std::vector<Key> keys;
  for (const std::string& piece : pieces)
    for (const Key& key : reader.feed(piece)) keys.push_back(key);
  for (const Key& key : reader.finish()) keys.push_back(key);
  return keys;
}

Key character(char c) {
  return {Kind::character, c};
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
