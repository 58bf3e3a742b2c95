// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/log_printer.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace adarun::cli {
namespace {

// The output of `write(std::FILE*)`.
template <typename Write>
std::string written_by(Write write) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  write(out);
  std::fclose(out);  // NOLINT: open_memstream's
  std::string bytes(text, size);
  std::free(text);  // NOLINT: open_memstream's
  return bytes;
}

const monitor::LogFile log_0{0, "a/worker_0.log"};
const monitor::LogFile log_1{1, "a/worker_1.log"};

TEST(WriteTagged, PutsTheTagBeforeEachLine) {
  EXPECT_EQ(written_by([](std::FILE* out) {
              write_tagged(out, "[12] ", "a\n\nb\n");
              write_tagged(out, "[12] ", "");
            }),
            "[12] a\n[12] \n[12] b\n");
}

TEST(LogNames, HaveTheRoleOfOneRankBehindThem) {
  const LogNames names = with_roles(names_of_job("run7"), {{0, "prefill"}});
  EXPECT_EQ(names.brackets({0}), "run7:0 prefill");
  EXPECT_EQ(names.brackets({1}), "run7:1");
  EXPECT_EQ(names.brackets({0, 1}), "run7:0-1");
  EXPECT_EQ(names.heading(log_0), "run7: a/worker_0.log (role prefill)");
  EXPECT_EQ(names.heading(log_1), "run7: a/worker_1.log");
}

TEST(LogPrinter, PassesBytesAsTheyComeWithoutTags) {
  EXPECT_EQ(written_by([](std::FILE* out) {
              LogPrinter printer(out, LogTags::none);
              EXPECT_TRUE(printer.print(log_0, "ha"));
              EXPECT_TRUE(printer.print(log_0, "lf"));
              EXPECT_TRUE(printer.finish());
            }),
            "half");
}

TEST(LogPrinter, DoesNotMixTheLinesOfLogs) {
  EXPECT_EQ(written_by([](std::FILE* out) {
              LogPrinter printer(out, LogTags::ranks);
              printer.print(log_0, "one\ntw");
              printer.print(log_1, "other\nla");
              printer.print(log_0, "o\n");
              printer.finish();
            }),
            "[0] one\n[1] other\n[0] two\n[1] la\n");
}

TEST(LogPrinter, EndsAnIncompleteLineWhereALogBeginsAnew) {
  const auto printed_with = [](LogTags tags) {
    return written_by([tags](std::FILE* out) {
      LogPrinter printer(out, tags);
      printer.begin_anew(log_0);
      printer.print(log_0, "half");
      printer.begin_anew(log_0);
      printer.print(log_0, "new\n");
      printer.begin_anew(log_0);
      printer.finish();
    });
  };
  EXPECT_EQ(printed_with(LogTags::none), "half\nnew\n");
  EXPECT_EQ(printed_with(LogTags::ranks), "[0] half\n[0] new\n");
}

TEST(LogPrinter, PutsAHeadingWhereTheLogChanges) {
  EXPECT_EQ(written_by([](std::FILE* out) {
              LogPrinter printer(out, LogTags::headings);
              printer.print(log_0, "a\n");
              printer.print(log_0, "b\n");
              printer.print(log_1, "c\n");
              printer.print(log_0, "d\n");
            }),
            "==> a/worker_0.log <==\na\nb\n\n==> a/worker_1.log <==\nc\n\n==> a/worker_0.log <==\nd\n");
}

TEST(LogPrinter, CallsLogsAsItIsTold) {
  const LogNames names{[](const monitor::LogFile&) { return "host:/log"; },
                       [](const std::set<std::uint32_t>&) { return "host"; }};
  EXPECT_EQ(
      written_by([&names](std::FILE* out) { LogPrinter(out, LogTags::headings, names).put(log_0, "a\n"); }),
      "==> host:/log <==\na\n");
  EXPECT_EQ(
      written_by([&names](std::FILE* out) { LogPrinter(out, LogTags::ranks, names).put(log_0, "a\n"); }),
      "[host] a\n");
}

TEST(LogPrinter, SaysWhereItsReaderIsGone) {
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  EXPECT_FALSE(LogPrinter(full, LogTags::none).print(log_0, "a\n"));
  std::fclose(full);  // NOLINT: fopen's
}

TEST(LogPrinter, NamesTheJobOfALog) {
  EXPECT_EQ(written_by([](std::FILE* out) {
              LogNames names = names_of_job("run7");
              names.proceed = true;
              LogPrinter headings(out, LogTags::headings, names);
              headings.print(log_1, "one\n");
              LogPrinter tags(out, LogTags::ranks, names);
              tags.print(log_1, "two\n");
            }),
            "\n==> run7: a/worker_1.log <==\none\n[run7:1] two\n");
}

}  // namespace
}  // namespace adarun::cli
