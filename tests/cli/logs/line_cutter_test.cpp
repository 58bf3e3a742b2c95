// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/line_cutter.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace adarun::cli {
namespace {

constexpr std::size_t plenty = 1000;

TEST(LineCutter, HoldsTheBeginningOfALineBackUntilItsEnd) {
  LineCutter cutter(plenty);
  EXPECT_EQ(cutter.feed("on"), "");
  EXPECT_EQ(cutter.feed("e\ntwo\nth"), "one\ntwo\n");
  EXPECT_EQ(cutter.feed(""), "");
  EXPECT_EQ(cutter.feed("ree\n"), "three\n");
  EXPECT_EQ(cutter.finish(), "");
}

TEST(LineCutter, LeavesBytesAsTheyAre) {
  LineCutter cutter(plenty);
  const std::string bytes("\n\n\0\r\n\xff\n", 7);
  EXPECT_EQ(cutter.feed(bytes), bytes);
}

TEST(LineCutter, GivesALastLineAnEndOnce) {
  LineCutter cutter(plenty);
  cutter.feed("a\nb");
  EXPECT_EQ(cutter.finish(), "b\n");
  EXPECT_EQ(cutter.finish(), "");
}

TEST(LineCutter, GivesALineThatDoesNotEndInPieces) {
  LineCutter cutter(4);
  EXPECT_EQ(cutter.feed("abc"), "");
  EXPECT_EQ(cutter.feed("d"), "abcd\n");
  EXPECT_EQ(cutter.feed("e\nfghij"), "e\nfghij\n");
}

TEST(WriteTagged, NamesTheRankBeforeEachLine) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  write_tagged(out, 12, "a\n\nb\n");
  write_tagged(out, 12, "");
  std::fclose(out);  // NOLINT: open_memstream's
  EXPECT_EQ(std::string(text, size), "[12] a\n[12] \n[12] b\n");
  std::free(text);  // NOLINT: open_memstream's
}

}  // namespace
}  // namespace adarun::cli
