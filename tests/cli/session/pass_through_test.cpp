// SPDX-License-Identifier: Apache-2.0
#include "cli/session/pass_through.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/cli/session/output_pipe.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::cli {
namespace {

using launcher::protocol::Stream;
using Tags = OutputOptions::Tags;

// The output of three ranks, with stdout written to a pipe of the test.
class PassThroughTest : public testing::Test {
 protected:
  PassThrough& view(const OutputOptions& shown) {
    view_.emplace(pipe_.output(), shown);
    view_->begin(plan_);
    return *view_;
  }

  std::string printed() { return pipe_.printed(); }

  const launcher::Plan plan_ = launcher::plan_of("node1:3");
  OutputPipe pipe_;
  std::optional<PassThrough> view_;
};

TEST_F(PassThroughTest, PrintsWholeLinesSoThatRanksDoNotMix) {
  PassThrough& shown = view({});
  shown.on_output(0, Stream::out, "one\ntw");
  shown.on_output(1, Stream::out, "other\n");
  EXPECT_EQ(printed(), "one\nother\n");
  shown.on_output(0, Stream::out, "o\n");
  EXPECT_EQ(printed(), "two\n");
}

TEST_F(PassThroughTest, EndsTheLastLineOfARankThatHasEnded) {
  PassThrough& shown = view({});
  shown.on_output(0, Stream::out, "half");
  EXPECT_EQ(printed(), "");
  shown.on_exited(0, {});
  EXPECT_EQ(printed(), "half\n");
  shown.on_output(1, Stream::out, "other");
  shown.end();
  EXPECT_EQ(printed(), "other\n");
}

TEST_F(PassThroughTest, PutsTheRankBeforeEachLine) {
  PassThrough& shown = view({Tags::ranks, {}, false});
  shown.on_output(2, Stream::out, "a\n\nb\n");
  EXPECT_EQ(printed(), "[2] a\n[2] \n[2] b\n");
}

TEST_F(PassThroughTest, ShowsTheRanksThatAreAskedFor) {
  PassThrough& shown = view({Tags::none, {1}, false});
  shown.on_output(0, Stream::out, "zero\n");
  shown.on_output(1, Stream::out, "one\n");
  EXPECT_EQ(printed(), "one\n");
}

TEST_F(PassThroughTest, ShowsNoStdoutWhereErrorsAloneAreAskedFor) {
  PassThrough& shown = view({Tags::none, {}, true});
  shown.on_output(0, Stream::out, "one\n");
  shown.end();
  EXPECT_EQ(printed(), "");
}

TEST_F(PassThroughTest, FoldsALineThatAllRanksPrint) {
  PassThrough& shown = view({Tags::folded, {}, false});
  for (const std::uint32_t rank : {0U, 1U, 2U}) shown.on_output(rank, Stream::out, "alike\n");
  shown.on_tick();
  EXPECT_EQ(printed(), "[0-2] alike\n");
  shown.on_output(1, Stream::out, "alone\n");
  shown.end();
  EXPECT_EQ(printed(), "[1] alone\n");
}

TEST_F(PassThroughTest, FoldsAmongTheRanksThatAreShown) {
  PassThrough& shown = view({Tags::folded, {0, 2}, false});
  for (const std::uint32_t rank : {0U, 1U, 2U}) shown.on_output(rank, Stream::out, "alike\n");
  shown.on_tick();
  EXPECT_EQ(printed(), "[0,2] alike\n");
}

}  // namespace
}  // namespace adarun::cli
