// SPDX-License-Identifier: Apache-2.0
#include "cli/view/loss_view.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "tests/cli/view/output_pipe.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::cli {
namespace {

using launcher::protocol::Stream;

// A job of four ranks on two nodes. It is shown as at no terminal, also where the test runs at one.
class LossViewTest : public testing::Test {
 protected:
  LossViewTest() {
    if (const char* before = std::getenv("TERM")) terminal_ = before;
    setenv("TERM", "dumb", 1);
    view_.emplace(pipe_.output(), false, 0, "", std::make_shared<std::optional<monitor::LiveView>>());
    view_->begin(plan_);
  }
  ~LossViewTest() override {
    if (terminal_)
      setenv("TERM", terminal_->c_str(), 1);
    else
      unsetenv("TERM");
  }

  std::string printed() { return pipe_.printed(); }

  const launcher::Plan plan_ = launcher::plan_of("node[1-2]:2");
  std::optional<std::string> terminal_;
  OutputPipe pipe_;
  std::optional<LossView> view_;
};

TEST_F(LossViewTest, PrintsTheLinesOfStderrWithTheirRank) {
  view_->on_output(3, Stream::err, "warn");
  EXPECT_EQ(printed(), "");
  view_->on_output(3, Stream::err, "ing\nand");
  EXPECT_EQ(printed(), "[3] warning\n");
}

TEST_F(LossViewTest, EndsTheLastLineOfARankThatHasEndedBeforeItIsStartedAgain) {
  view_->on_output(1, Stream::err, "terminate called");
  view_->on_exited(1, {});
  EXPECT_EQ(printed(), "[1] terminate called\n");
  view_->on_output(1, Stream::err, "again\n");
  EXPECT_EQ(printed(), "[1] again\n");
}

TEST_F(LossViewTest, EndsTheLastLinesOfALostNodeAndAtTheEndThoseOfOthers) {
  for (const std::uint32_t rank : {0U, 2U, 3U}) view_->on_output(rank, Stream::err, "half");
  view_->on_lost(1, "gone");
  EXPECT_EQ(printed(), "[2] half\n[3] half\n");
  view_->end();
  EXPECT_EQ(printed(), "[0] half\n");
}

}  // namespace
}  // namespace adarun::cli
