// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/log_printer.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "cli/arguments/command.h"
#include "tests/scratch_folder.h"

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

class LogStreamTest : public testing::Test {
 protected:
  LogStreamTest() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  void log(int rank, const std::string& text) {
    scratch_.append("worker_" + std::to_string(rank) + ".log", text);
  }
  // The printed output for the present contents of the logs.
  std::string printed(LineOptions options) {
    monitor::LogWatch watch({scratch_.path()});
    watch.find();
    return written_by([&](std::FILE* out) {
      LogStream stream(watch, std::move(options), out);
      EXPECT_TRUE(stream.print_all());
      EXPECT_TRUE(stream.finish());
      any_ = stream.any();
    });
  }
  static LineOptions merged() {
    LineOptions options;
    options.merge = true;
    return options;
  }

  test::ScratchFolder scratch_;
  bool any_ = false;
};

TEST_F(LogStreamTest, PrintsTheLinesWithAPattern) {
  log(0, "one\ntwo\n");
  log(1, "two\nthree");
  LineOptions options;
  options.tags = LogTags::ranks;
  options.filter.emplace("^t(wo|hr)");
  EXPECT_EQ(printed(std::move(options)), "[0] two\n[1] two\n[1] three\n");
  EXPECT_TRUE(any_);
}

TEST_F(LogStreamTest, SaysWhetherThereWasALine) {
  log(0, "one\n");
  LineOptions options;
  options.filter.emplace("two");
  EXPECT_EQ(printed(std::move(options)), "");
  EXPECT_FALSE(any_);
}

TEST_F(LogStreamTest, MergesByTheTimesAtWhichBytesCame) {
  log(0, "up\na\nend\n");
  log(1, "up\nb\nend\n");
  scratch_.write("line_times.txt",
                 "adarun line times 1 -\n1000 0:3 1:3\n5000 1:2\n6000 0:2\n7000 1:4\n9000 0:4\n");
  EXPECT_EQ(printed(merged()), "[0-1] up\n[1] b\n[0] a\n[1] end\n[0] end\n");
  LineOptions late = merged();
  late.since_ms = 6000;
  EXPECT_EQ(printed(std::move(late)), "[0] a\n[1] end\n[0] end\n");
}

TEST_F(LogStreamTest, MergesByTheTimesThatLinesSay) {
  log(3, "2026-11-21 10:00:02 c\nbehind c\n2026-11-21 10:00:09 d\n");
  log(7, "2026-11-21 10:00:01 a\n2026-11-21 10:00:02 c\n2026-11-21 10:00:05 b\n");
  EXPECT_EQ(
      printed(merged()),
      "[7] 2026-11-21 10:00:01 a\n[3,7] 2026-11-21 10:00:02 c\n[3] behind c\n[7] 2026-11-21 10:00:05 b\n"
      "[3] 2026-11-21 10:00:09 d\n");
}

TEST_F(LogStreamTest, RefusesToPutInOrderWhatHasNoTime) {
  log(0, "epoch: 1 step: 1, loss is 2\n");
  monitor::LogWatch watch({scratch_.path()});
  watch.find();
  LogStream stream(watch, merged(), stdout);
  EXPECT_THROW(stream.print_all(), ExitError);
}

TEST_F(LogStreamTest, PrintsWhatComesLaterAndLogsThatComeLater) {
  log(0, "one\nha");
  monitor::LogWatch watch({scratch_.path()});
  watch.find();
  LineOptions options;
  options.tags = LogTags::ranks;
  options.filter.emplace("");
  EXPECT_EQ(written_by([&](std::FILE* out) {
              LogStream stream(watch, std::move(options), out);
              stream.print_all();
              log(0, "lf\n");
              log(1, "new\n");
              watch.find();
              bool news = false;
              stream.print_new(news);
              EXPECT_TRUE(news);
              stream.print_new(news);
              EXPECT_FALSE(news);
              stream.finish();
            }),
            "[0] one\n[0] half\n[1] new\n");
}

// A stream, and a job that prints more whenever something was written to the stream.
class JobThatPrintsOn {
 public:
  explicit JobThatPrintsOn(const test::ScratchFolder& scratch) : scratch_(scratch) {
    stream_ = fopencookie(this, "w", {nullptr, take, nullptr, nullptr});
    setvbuf(stream_, nullptr, _IONBF, 0);
  }
  ~JobThatPrintsOn() { std::fclose(stream_); }

  std::FILE* stream() const { return stream_; }
  const std::string& written() const { return written_; }

 private:
  static ssize_t take(void* self, const char* bytes, std::size_t size) {
    auto& job = *static_cast<JobThatPrintsOn*>(self);
    job.written_.append(bytes, size);
    if (++job.writes_ < 1000) job.scratch_.append("worker_0.log", "2026-11-21 10:00:00 more\n");
    return static_cast<ssize_t>(size);
  }

  const test::ScratchFolder& scratch_;
  std::FILE* stream_;
  std::string written_;
  int writes_ = 0;
};

TEST_F(LogStreamTest, LeavesOutWhatComesMeanwhile) {
  const std::string zero = "2026-11-21 10:00:00 zero\n";
  const std::string one = "2026-11-21 10:00:01 one\n";
  log(0, zero);
  log(1, one);
  for (const bool merge : {false, true}) {
    scratch_.write("worker_0.log", zero);
    LineOptions options;
    options.tags = LogTags::ranks;
    options.since_ms = 0;
    options.merge = merge;
    monitor::LogWatch watch({scratch_.path()});
    watch.find();
    const JobThatPrintsOn job(scratch_);
    LogStream stream(watch, std::move(options), job.stream());
    EXPECT_TRUE(stream.print_all());
    EXPECT_TRUE(stream.finish());
    EXPECT_EQ(job.written(), "[0] " + zero + "[1] " + one) << merge;
  }
}

TEST_F(LogStreamTest, PrintsALongLineWholeOrNotAtAll) {
  const std::string piece(1U << 20U, 'x');
  log(0, piece + piece + piece + "\nnext\n");
  scratch_.write("line_times.txt", "adarun line times 1 -\n1000 0:2000000\n5000 0:1145735\n");
  const std::string lines = piece + "\n" + piece + "\n" + piece + "\n";
  EXPECT_TRUE(printed({.since_ms = 1000}) == lines + "next\n");
  EXPECT_EQ(printed({.since_ms = 3000}), "next\n") << "the line began before that time";
}

TEST_F(LogStreamTest, CutsALineThatDoesNotEnd) {
  log(0, std::string(3'000'000, 'x'));
  LineOptions options;
  options.filter.emplace("x");
  const std::string text = printed(std::move(options));
  EXPECT_EQ(std::count(text.begin(), text.end(), 'x'), 3'000'000);
}

}  // namespace
}  // namespace adarun::cli
