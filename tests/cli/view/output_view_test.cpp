// SPDX-License-Identifier: Apache-2.0
#include "cli/view/output_view.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/cli/view/output_pipe.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::cli {
namespace {

using launcher::protocol::Stream;
using Tags = OutputOptions::Tags;

// The output of three ranks, with stdout written to a pipe of the test.
class OutputViewTest : public testing::Test {
 protected:
  OutputView& view(const OutputOptions& shown) {
    view_.emplace(pipe_.output(), shown);
    view_->begin(plan_);
    return *view_;
  }

  std::string printed() { return pipe_.printed(); }

  const launcher::Plan plan_ = launcher::plan_of("node1:3");
  OutputPipe pipe_;
  std::optional<OutputView> view_;
};

TEST_F(OutputViewTest, PrintsWholeLinesSoThatRanksDoNotMix) {
  OutputView& shown = view({});
  shown.on_output(0, Stream::out, "one\ntw");
  shown.on_output(1, Stream::out, "other\n");
  EXPECT_EQ(printed(), "one\nother\n");
  shown.on_output(0, Stream::out, "o\n");
  EXPECT_EQ(printed(), "two\n");
}

TEST_F(OutputViewTest, EndsTheLastLineOfARankOnlyBeforeAnotherRanksOutput) {
  OutputView& shown = view({});
  shown.on_output(0, Stream::out, "half");
  EXPECT_EQ(printed(), "");
  shown.on_exited(0, {});
  EXPECT_EQ(printed(), "half");
  shown.on_output(1, Stream::out, "other");
  shown.end();
  EXPECT_EQ(printed(), "\nother");
}

TEST_F(OutputViewTest, LeavesTheBytesOfARankAsTheyAre) {
  std::string bytes(100'000, 'x');
  for (std::size_t i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  bytes += std::string(65'536, 'y') + "\n\n" + std::string(300'000, '\0') + "no end";
  OutputView& shown = view({});
  std::string seen;
  for (std::size_t at = 0; at < bytes.size(); at += 4096) {
    shown.on_output(0, Stream::out, std::string_view(bytes).substr(at, 4096));
    seen += printed();
  }
  shown.end();
  EXPECT_TRUE(seen + printed() == bytes);
}

TEST_F(OutputViewTest, SeparatesALongLineFromAnotherRanksOutput) {
  OutputView& shown = view({});
  const std::string half(65'536, 'x');
  shown.on_output(0, Stream::out, half);
  shown.on_output(1, Stream::out, "other\n");
  shown.on_output(0, Stream::out, "rest\n");
  EXPECT_TRUE(printed() == half + "\nother\nrest\n");
}

TEST_F(OutputViewTest, SeparatesALineWithoutEndFromItsOwnMessages) {
  OutputView& shown = view({});
  testing::internal::CaptureStderr();
  shown.on_output(0, Stream::err, "half");
  shown.on_exited(0, {});
  shown.say("rank 0 has failed");
  pipe_.output().drain(pipe_.output().err(), [] { return true; });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "half\nadarun: rank 0 has failed\n");
}

TEST_F(OutputViewTest, HasNoEmptyLineBehindALineOf64KiBWithTags) {
  OutputView& shown = view({Tags::ranks, {}, false});
  const std::string line(65'536, 'x');
  shown.on_output(0, Stream::out, line);
  shown.on_output(0, Stream::out, "\n");
  EXPECT_TRUE(printed() == "[0] " + line + "\n");
}

TEST_F(OutputViewTest, PutsTheRankBeforeEachLine) {
  OutputView& shown = view({Tags::ranks, {}, false});
  shown.on_output(2, Stream::out, "a\n\nb\n");
  EXPECT_EQ(printed(), "[2] a\n[2] \n[2] b\n");
}

TEST_F(OutputViewTest, ShowsTheRanksThatAreAskedFor) {
  OutputView& shown = view({Tags::none, {1}, false});
  shown.on_output(0, Stream::out, "zero\n");
  shown.on_output(1, Stream::out, "one\n");
  EXPECT_EQ(printed(), "one\n");
}

TEST_F(OutputViewTest, ShowsNoStdoutWhereErrorsAloneAreAskedFor) {
  OutputView& shown = view({Tags::none, {}, true});
  shown.on_output(0, Stream::out, "one\n");
  shown.end();
  EXPECT_EQ(printed(), "");
}

TEST_F(OutputViewTest, FoldsALineThatAllRanksPrint) {
  OutputView& shown = view({Tags::folded, {}, false});
  for (const std::uint32_t rank : {0U, 1U, 2U}) shown.on_output(rank, Stream::out, "alike\n");
  shown.on_tick();
  EXPECT_EQ(printed(), "[0-2] alike\n");
  shown.on_output(1, Stream::out, "alone\n");
  shown.end();
  EXPECT_EQ(printed(), "[1] alone\n");
}

TEST_F(OutputViewTest, FoldsAmongTheRanksThatAreShown) {
  OutputView& shown = view({Tags::folded, {0, 2}, false});
  for (const std::uint32_t rank : {0U, 1U, 2U}) shown.on_output(rank, Stream::out, "alike\n");
  shown.on_tick();
  EXPECT_EQ(printed(), "[0,2] alike\n");
}

}  // namespace
}  // namespace adarun::cli
