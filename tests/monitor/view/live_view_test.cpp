// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/live_view.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace adarun::monitor {
namespace {

using std::chrono::milliseconds;

/// A stream into memory, which is no terminal.
class Memory {
 public:
  Memory() : file_(open_memstream(&bytes_, &size_)) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    std::fclose(file_);
    std::free(bytes_);
  }
  std::FILE* file() { return file_; }
  std::string text() {
    std::fflush(file_);
    return {bytes_, size_};
  }

 private:
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

struct LiveViewTest : testing::Test {
  Memory out;
  LiveView::Clock::time_point start{};
  Style terminal{.width = 60, .height = 12, .interactive = true};
};

TEST_F(LiveViewTest, WritesPlainLinesWhereThereIsNoTerminal) {
  LiveView view(out.file(), {}, start);
  view.feed(0, "epoch: 1 step: 1, loss is 2.5\n");
  view.tick(start);
  view.print_above("\x1b[31mhello\x1b[0m\a");
  view.feed(0, "epoch: 1 step: 2, loss is 1.5");
  view.finish(start);
  EXPECT_EQ(out.text(), "epoch 1 step 1  loss 2.5000\nhello\xe2\x90\x87\nepoch 1 step 2  loss 1.5000\n");
}

TEST_F(LiveViewTest, ContinuesWithTheRunOfAnotherWhoseLinesAreNotPrintedAgain) {
  LiveView first(out.file(), {}, start);
  first.feed(0, "epoch: 1 step: 1, loss is 2.5\nepoch: 1 step: 2, loss is 1.5\n");
  first.tick(start);
  first.finish(start);
  Memory second_out;
  LiveView second(second_out.file(), {}, std::move(first));
  second.next_attempt(2, "restart");
  second.run().expect(1);
  second.tick(start);
  second.feed(0, "epoch: 1 step: 2, loss is 1.25\nepoch: 1 step: 3, loss is 1.0\n");
  second.finish(start);
  EXPECT_EQ(second_out.text(),
            "attempt 2: restart\nepoch 1 step 2  loss 1.2500\nepoch 1 step 3  loss 1.0000\n");
  ASSERT_EQ(second.run().merged().size(), 3U);
  EXPECT_EQ(second.run().merged()[0].median, 2.5F);
  EXPECT_EQ(second.run().attempts().back().change, "restart");
}

// Steps of three ranks, of which the second prints no number from the fifth on.
std::string steps(std::uint32_t rank, int first, int last) {
  std::string text;
  for (int step = first; step <= last; ++step)
    text += "epoch: 1 step: " + std::to_string(step) + ", loss is " +
            (rank == 1 && step >= 5 ? "nan" : "1.5") + "\n";
  return text;
}

TEST_F(LiveViewTest, TellsEachFindingOnceWhereThereIsNoTerminal) {
  LiveView view(out.file(), {}, start);
  view.set_node_names([](std::uint32_t rank) { return "node" + std::to_string(rank); });
  for (const std::uint32_t rank : {0U, 1U, 2U}) view.feed(rank, steps(rank, 1, 4));
  view.tick(start);
  EXPECT_EQ(out.text().find("nan or inf"), std::string::npos) << out.text();
  for (const std::uint32_t rank : {0U, 1U, 2U}) view.feed(rank, steps(rank, 5, 9));
  view.tick(start + std::chrono::hours(1));
  const std::string told =
      "nan or inf: rank 1 on node1, epoch 1 step 5: its loss is nan or inf; that of no other rank is\n";
  EXPECT_NE(out.text().find(told), std::string::npos) << out.text();
  for (const std::uint32_t rank : {0U, 1U, 2U}) view.feed(rank, steps(rank, 10, 12));
  view.tick(start + std::chrono::hours(2));
  view.finish(start + std::chrono::hours(3));
  EXPECT_EQ(out.text().find(told), out.text().rfind(told)) << out.text();
}

TEST_F(LiveViewTest, TellsASpikeThatGoesOnOnce) {
  LiveView view(out.file(), {}, start);
  const auto feed = [&view](int step, int loss, int of_second) {
    for (const std::uint32_t rank : {0U, 1U, 2U})
      view.feed(rank, "epoch: 1 step: " + std::to_string(step) + ", loss is " +
                          std::to_string(rank == 1 ? of_second : loss) + "\n");
  };
  for (int step = 1; step <= 40; ++step) feed(step, 1, 1);
  // Each time the highest loss is a later one, of one rank or the other.
  for (int i = 1; i <= 6; ++i) {
    const int high = 5 + i;
    feed(40 + 2 * i - 1, i % 2 == 0 ? 2 : high, i % 2 == 0 ? high : 2);
    feed(40 + 2 * i, 4, 4);
    view.tick(start + std::chrono::hours(i));
  }
  EXPECT_NE(out.text().find("spike: "), std::string::npos) << out.text();
  EXPECT_EQ(out.text().find("spike: "), out.text().rfind("spike: ")) << out.text();
}

TEST_F(LiveViewTest, DrawsWhatAKeyHasChangedAtOnce) {
  LiveView view(out.file(), terminal, start);
  view.feed(0, steps(0, 1, 9));
  view.tick(start);
  const std::size_t before = out.text().size();
  EXPECT_TRUE(view.press({Key::Kind::character, 'l'}));
  EXPECT_FALSE(view.press({Key::Kind::character, 'q'}));
  view.tick(start + milliseconds(1));
  EXPECT_NE(out.text().find("log scale", before), std::string::npos) << out.text().substr(before);
}

// Old logs arrive as fast as they are read; that is not the job's pace.
TEST_F(LiveViewTest, MeasuresThePaceOfLinesThatArriveOnly) {
  LiveView view(out.file(), terminal, start);
  view.feed(0, steps(0, 1, 50));
  view.tick(start);
  view.feed(0, steps(0, 51, 100));
  view.tick(start + milliseconds(1000));
  EXPECT_EQ(out.text().find("steps/s"), std::string::npos) << out.text();
  view.feed(0, steps(0, 101, 102), 1);
  view.tick(start + milliseconds(2000));
  view.feed(0, steps(0, 103, 104), 1);
  view.tick(start + milliseconds(3000));
  EXPECT_NE(out.text().find("2.00 steps/s"), std::string::npos) << out.text();
}

TEST_F(LiveViewTest, TellsTheAgeOfTheJobWhereThatIsKnown) {
  LiveView view(out.file(), terminal, start);
  view.feed(0, steps(0, 1, 2));
  view.set_elapsed(std::chrono::seconds(75));
  view.tick(start + milliseconds(2000));
  EXPECT_NE(out.text().find("   1:15"), std::string::npos) << out.text();
  view.set_elapsed({});
  view.tick(start + milliseconds(4000));
  EXPECT_EQ(out.text().find("   0:04"), std::string::npos) << out.text();
}

TEST_F(LiveViewTest, TellsNoTimeLeftOfAJobThatIsOver) {
  LiveView view(out.file(), terminal, start);
  view.run().expect_epochs(1);
  const auto feed = [&](int first, int last) {
    for (int step = first; step <= last; ++step)
      view.feed(0, "epoch: [1/1] step: [" + std::to_string(step) + "/100], loss is 1\n", 1);
  };
  feed(1, 10);
  view.tick(start);
  feed(11, 20);
  view.finish(start + milliseconds(1000));
  EXPECT_NE(out.text().find("10 steps/s"), std::string::npos) << out.text();
  EXPECT_EQ(out.text().find(" left"), std::string::npos) << out.text();
}

TEST_F(LiveViewTest, RedrawsAtMostFiveTimesASecond) {
  LiveView view(out.file(), terminal, start);
  view.tick(start);
  const std::size_t first = out.text().size();
  EXPECT_GT(first, 0u);
  view.tick(start + milliseconds(199));
  EXPECT_EQ(out.text().size(), first);
  view.tick(start + milliseconds(200));
  EXPECT_GT(out.text().size(), first);
}

TEST_F(LiveViewTest, GoesBackToTheFirstLineOfTheBlockAndLeavesTheCursorVisible) {
  LiveView view(out.file(), terminal, start);
  view.feed(0, "epoch: 1 step: 1, loss is 2.5\n");
  view.tick(start);
  const std::string first = out.text();
  EXPECT_EQ(first.find("\x1b[11A"), std::string::npos);
  view.tick(start + milliseconds(200));
  const std::string second = out.text().substr(first.size());
  EXPECT_NE(second.find("\x1b[10A"), std::string::npos) << second;
  for (const std::string& frame : {first, second})
    EXPECT_GT(frame.rfind("\x1b[?25h"), frame.rfind("\x1b[?25l"));
  EXPECT_EQ(out.text().find("\x1b[?1049h"), std::string::npos);
}

TEST_F(LiveViewTest, PutsLogLinesAboveTheBlock) {
  LiveView view(out.file(), terminal, start);
  view.tick(start);
  const std::size_t before = out.text().size();
  view.print_above("a log line");
  EXPECT_EQ(out.text().size(), before);
  view.finish(start);
  const std::string frame = out.text().substr(before);
  const std::size_t at = frame.find("\x1b[Ja log line\r\n");
  ASSERT_NE(at, std::string::npos) << frame;
  EXPECT_GT(frame.find("waiting for the first loss line"), at);
  EXPECT_EQ(frame.substr(frame.size() - 2), "\r\n");
}

}  // namespace
}  // namespace adarun::monitor
