// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/file_tail.h"

#include <gtest/gtest.h>

#include "monitor/base/error.h"
#include "tests/monitor/packed.h"
#include "tests/scratch_folder.h"

namespace adarun::monitor {
namespace {

using Change = FileTail::Change;
using Read = std::pair<Change, std::string>;

// What was in `bytes` before must not be there any more.
Read next_of(FileTail& tail) {
  std::string bytes = "before";
  const Change change = tail.read(bytes);
  return {change, bytes};
}

TEST(FileTail, GivesEachByteOnce) {
  const test::ScratchFolder scratch;
  FileTail tail(scratch.path() / "log");
  EXPECT_EQ(next_of(tail).first, Change::none);
  scratch.append("log", "one\nhal");
  EXPECT_EQ(next_of(tail), (Read{Change::grown, "one\nhal"}));
  EXPECT_EQ(next_of(tail).first, Change::none);
  scratch.append("log", "f\n");
  EXPECT_EQ(next_of(tail), (Read{Change::grown, "f\n"}));
}

TEST(FileTail, ReadsInPieces) {
  const test::ScratchFolder scratch;
  FileTail tail(scratch.write("log", "abcde"));
  std::string bytes;
  std::string all;
  while (tail.read(bytes, 2) == Change::grown) all += bytes + "|";
  EXPECT_EQ(all, "ab|cd|e|");
}

TEST(FileTail, BeginsAnewWhereTheFileWasTruncatedOrReplaced) {
  const test::ScratchFolder scratch;
  FileTail tail(scratch.write("log", "a long first text\n"));
  next_of(tail);
  scratch.write("log", "short\n");
  EXPECT_EQ(next_of(tail), (Read{Change::restarted, "short\n"}));
  std::filesystem::rename(scratch.write("other", "longer than it was\n"), scratch.path() / "log");
  EXPECT_EQ(next_of(tail), (Read{Change::restarted, "longer than it was\n"}));
}

const std::string left_out = "[adarun: 99 bytes are left out here: --log-limit]\n";

TEST(FileTail, ContinuesInALogThatAdarunHasShortened) {
  const test::ScratchFolder scratch;
  FileTail tail(scratch.write("log", "first\n" + std::string(1000, 'x') + "\nstep 1\nstep 2\nste"));
  next_of(tail);
  scratch.rewrite("log", "first\n" + left_out + std::string(300, 'x') + "\nstep 1\nstep 2\nstep 3\nstep 4\n");
  EXPECT_EQ(next_of(tail), (Read{Change::grown, "p 3\nstep 4\n"}));
}

TEST(FileTail, NoticesThatALogWasShortenedThoughItHasGrownPastTheOldOffset) {
  const test::ScratchFolder scratch;
  FileTail tail(scratch.write("log", "first\nstep 1\nstep 2\n"));
  next_of(tail);
  scratch.rewrite("log", "first\n" + left_out + "step 2\nstep 3\n" + std::string(1000, 'x') + "\n");
  EXPECT_EQ(next_of(tail),
            (Read{Change::grown, "\n" + left_out + "step 2\nstep 3\n" + std::string(1000, 'x') + "\n"}));
  scratch.write("log", std::string(5000, 'y') + "\n");
  EXPECT_EQ(next_of(tail).first, Change::restarted) << "it is another one";
}

TEST(FileTail, ContinuesAtTheLineThatSaysWhatIsLeftOutWhereItHasNotReadThat) {
  const test::ScratchFolder scratch;
  FileTail tail(scratch.write("log", "first\n" + std::string(1000, 'x') + "\nstep 1\nste"));
  next_of(tail);
  scratch.rewrite("log", "first\n" + left_out + "step 9\n");
  EXPECT_EQ(next_of(tail), (Read{Change::grown, "\n" + left_out + "step 9\n"}))
      << "the line that was read in part ends";
}

TEST(FileTail, ReadsTheRestOfAFileThatWasRotatedAwayFirst) {
  const test::ScratchFolder scratch;
  FileTail tail(scratch.write("train.log", "one\n"));
  next_of(tail);
  scratch.append("train.log", "two\n");
  scratch.write("train.log.2", "older\n");
  std::filesystem::rename(scratch.path() / "train.log", scratch.path() / "train.log.1");
  EXPECT_EQ(next_of(tail), (Read{Change::grown, "two\n"}));
  EXPECT_EQ(next_of(tail), (Read{Change::none, ""}));
  scratch.write("train.log", "three\n");
  scratch.append("train.log.1", "late\n");
  EXPECT_EQ(next_of(tail), (Read{Change::grown, "late\n"}));
  EXPECT_EQ(next_of(tail), (Read{Change::restarted, "three\n"}));
}

std::string read_all(FileTail& tail, std::size_t max_bytes) {
  std::string all;
  std::string bytes;
  while (tail.read(bytes, max_bytes) == Change::grown) {
    EXPECT_LE(bytes.size(), max_bytes);
    all += bytes;
  }
  return all;
}

TEST(FileTail, ReadsTheRestOfAFileWhoseFolderWasRenamedFirst) {
  const test::ScratchFolder scratch;
  scratch.write("logs/log", "one\n");
  FileTail tail(scratch.path() / "logs/log");
  EXPECT_EQ(next_of(tail).first, Change::grown);
  scratch.append("logs/log", "two\n");
  std::filesystem::rename(scratch.path() / "logs", scratch.path() / "logs.1");
  scratch.write("logs/log", "three\n");
  EXPECT_EQ(next_of(tail), (Read{Change::grown, "two\n"}));
  EXPECT_EQ(next_of(tail), (Read{Change::restarted, "three\n"}));
}

TEST(FileTail, UnpacksAFileThatGrowsAndFilesThatWereJoined) {
  const test::ScratchFolder scratch;
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "line " + std::to_string(i * i) + "\n";
  const std::string first = packed(text);
  FileTail tail(scratch.write("log.gz", first.substr(0, first.size() / 2)));
  std::string all = read_all(tail, 1000);
  EXPECT_GT(all.size(), text.size() / 4);
  scratch.append("log.gz", first.substr(first.size() / 2) + packed("more\n"));
  all += read_all(tail, 1U << 20U);
  EXPECT_EQ(all, text + "more\n");
}

TEST(FileTail, SaysWhatIsNoGzipData) {
  const test::ScratchFolder scratch;
  FileTail tail(scratch.write("log.gz", "plain text\n"));
  try {
    FAIL() << next_of(tail).second;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("log.gz: not gzip data, or damaged: "), std::string::npos)
        << error.what();
  }
}

TEST(FileTail, SkipsToTheLastLines) {
  const test::ScratchFolder scratch;
  const std::string text = "1\n2\n\n4\n5";
  const auto tail_of = [&](const std::string& content, std::uint64_t lines) {
    FileTail tail(scratch.write("log", content));
    tail.skip_to_last(lines);
    return next_of(tail).second;
  };
  EXPECT_EQ(tail_of(text, 0), "");
  EXPECT_EQ(tail_of(text, 1), "5");
  EXPECT_EQ(tail_of(text, 3), "\n4\n5");
  EXPECT_EQ(tail_of(text, 99), text);
  EXPECT_EQ(tail_of(text + "\n", 1), "5\n");
  EXPECT_EQ(tail_of("", 2), "");
  const auto packed_tail_of = [&](const std::string& content, std::uint64_t lines) {
    FileTail tail(scratch.write("log.gz", packed(content)));
    tail.skip_to_last(lines);
    return read_all(tail, 3);
  };
  for (const std::string& content : {text, text + "\n", std::string()})
    for (const std::uint64_t lines : {0U, 1U, 3U, 99U})
      EXPECT_EQ(packed_tail_of(content, lines), tail_of(content, lines)) << content << lines;
  const std::string block(100'000, 'x');
  EXPECT_EQ(tail_of("a\n" + block + "\nb\n", 2), block + "\nb\n");
}

TEST(FileTail, RefusesWhatIsNoFile) {
  const test::ScratchFolder scratch;
  FileTail tail(scratch.path());
  EXPECT_THROW(next_of(tail), Error);
}

TEST(FileTail, StopsAtTheEndThatTheFileHadThen) {
  const test::ScratchFolder scratch;
  FileTail tail(scratch.write("log", "one\n"));
  tail.stop_at_present_end();
  scratch.append("log", "two\n");
  EXPECT_EQ(next_of(tail), (Read{Change::grown, "one\n"}));
  EXPECT_EQ(next_of(tail).first, Change::none);
  std::filesystem::rename(scratch.path() / "log", scratch.path() / "log.1");
  scratch.write("log", "three\n");
  EXPECT_EQ(next_of(tail), (Read{Change::none, ""}));
  tail.proceed();
  EXPECT_EQ(next_of(tail), (Read{Change::grown, "two\n"}));
  EXPECT_EQ(next_of(tail), (Read{Change::restarted, "three\n"}));
}

TEST(FileTail, ReadsWhatWasRenamedBeforeItsEndWasKnownAndNothingElse) {
  const test::ScratchFolder scratch;
  FileTail tail(scratch.write("log", "one\n"));
  std::filesystem::rename(scratch.path() / "log", scratch.path() / "log.1");
  scratch.write("log", "two\n");
  tail.stop_at_present_end();
  EXPECT_EQ(next_of(tail), (Read{Change::grown, "one\n"}));
  EXPECT_EQ(next_of(tail).first, Change::none);
}

TEST(FileTail, StopsAtThePresentEndOfWhatIsPackedOrNotThere) {
  const test::ScratchFolder scratch;
  FileTail packed_tail(scratch.write("log.gz", packed("one\n")));
  FileTail later(scratch.path() / "later");
  packed_tail.stop_at_present_end();
  later.stop_at_present_end();
  scratch.append("log.gz", packed("two\n"));
  scratch.write("later", "three\n");
  std::string bytes;
  std::string all;
  while (packed_tail.read(bytes) != Change::none) all += bytes;
  EXPECT_EQ(all, "one\n");
  EXPECT_EQ(next_of(later).first, Change::none);
}

// Who may write to the folder puts a link where a log was that is read already.
TEST(FileTail, ReadsNoLinkThatTakesThePlaceOfALogWhereLinksAreRefused) {
  const test::ScratchFolder scratch;
  const auto secret = scratch.write("private", "one\ntwo\n");
  const auto log = scratch.write("logs/log", "one\n");
  FileTail tail(log, Links::refused);
  EXPECT_EQ(next_of(tail).first, Change::grown);
  std::filesystem::remove(log);
  std::filesystem::create_symlink(secret, log);
  EXPECT_THROW(next_of(tail), Error);
  std::filesystem::remove_all(log.parent_path());
  scratch.write("elsewhere/log", "one\ntwo\n");
  std::filesystem::create_symlink("elsewhere", log.parent_path());
  EXPECT_THROW(next_of(tail), Error);
}

}  // namespace
}  // namespace adarun::monitor
