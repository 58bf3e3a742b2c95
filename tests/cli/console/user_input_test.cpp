// SPDX-License-Identifier: Apache-2.0
#include "cli/console/user_input.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace adarun::cli {
namespace {

using namespace std::chrono_literals;

// As in a write to a terminal that nobody reads.
void stand_still() {
  alarm(60);
  pause();
}

TEST(UserInputDeathTest, EndsACommandThatDoesNotTakeASignal) {
  EXPECT_EXIT(
      {
        const UserInput input(UserInput::Keys::leave);
        kill(getpid(), SIGTERM);
        stand_still();
      },
      testing::ExitedWithCode(130), "");
}

TEST(UserInputDeathTest, EndsACommandThatDoesNotEndOnceItHasTakenOne) {
  EXPECT_EXIT(
      {
        UserInput input(UserInput::Keys::leave);
        kill(getpid(), SIGTERM);
        while (input.wait(1s) != UserInput::Event::interrupt) continue;
        stand_still();
      },
      testing::ExitedWithCode(130), "");
}

TEST(UserInputTest, LeavesACommandAloneThatEndsWhenItIsTold) {
  UserInput input(UserInput::Keys::leave);
  kill(getpid(), SIGTERM);
  EXPECT_EQ(input.wait(60s), UserInput::Event::interrupt);
  EXPECT_EQ(input.wait(0s), UserInput::Event::none);
}

}  // namespace
}  // namespace adarun::cli
