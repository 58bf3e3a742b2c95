// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/log_stream.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include "cli/arguments/command.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

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
    return written([&](std::FILE* out) {
      LogStream stream(watch, std::move(options), out);
      EXPECT_TRUE(stream.print_all());
      EXPECT_TRUE(stream.finish());
      any_ = stream.any();
    });
  }
  template <typename Write>
  static std::string written(Write write) {
    char* bytes = nullptr;
    std::size_t size = 0;
    std::FILE* out = open_memstream(&bytes, &size);
    write(out);
    std::fclose(out);
    std::string text(bytes, size);
    free(bytes);  // NOLINT: open_memstream's
    return text;
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
  EXPECT_EQ(written([&](std::FILE* out) {
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
