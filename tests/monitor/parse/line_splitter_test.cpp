// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/line_splitter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace adarun::monitor {
namespace {

using Lines = std::vector<std::string>;

Lines split(const std::vector<std::string>& pieces) {
  LineSplitter splitter;
  Lines lines;
  const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
  for (const std::string& piece : pieces) splitter.feed(piece, keep);
  splitter.finish(keep);
  return lines;
}

TEST(LineSplitter, JoinsWhatCameInPieces) {
  EXPECT_EQ(split({"ab", "c\nd", "\n", "e\nf\n"}), (Lines{"abc", "d", "e", "f"}));
}

TEST(LineSplitter, GivesTheSameLinesWhereverTheBytesAreCut) {
  const std::string text = "one\r\ntwo\n\rthree\rfour\n\nfive";
  const Lines whole = split({text});
  EXPECT_EQ(whole, (Lines{"one", "two", "three", "four", "five"}));
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(split({text.substr(0, cut), text.substr(cut)}), whole) << cut;
  }
}

TEST(LineSplitter, HoldsBackALineWithoutEnd) {
  LineSplitter splitter;
  Lines lines;
  const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
  splitter.feed("loss is 2.", keep);
  EXPECT_TRUE(lines.empty());
  splitter.feed("31\n", keep);
  EXPECT_EQ(lines, Lines{"loss is 2.31"});
}

TEST(LineSplitter, CutsAnOverlongLineAndGoesOnBehindIt) {
  const std::string chunk(LineSplitter::max_line_bytes - 1, 'x');
  const Lines lines = split({chunk, chunk, chunk + "\nnext\n", std::string(3 * chunk.size(), 'y') + "\n"});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].size(), LineSplitter::max_line_bytes);
  EXPECT_EQ(lines[1], "next");
  EXPECT_EQ(lines[2].size(), LineSplitter::max_line_bytes);
}

TEST(LineSplitter, ForgetsHalfALineOnReset) {
  LineSplitter splitter;
  Lines lines;
  const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
  splitter.feed("half", keep);
  splitter.reset();
  splitter.feed("whole\n", keep);
  EXPECT_EQ(lines, Lines{"whole"});
}

}  // namespace
}  // namespace adarun::monitor
