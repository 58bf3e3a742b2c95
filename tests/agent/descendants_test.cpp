// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/descendants.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace adarun::agent {
namespace {

TEST(Descendants, AreFoundInAnyOrderAndDepth) {
  const std::vector<Process> all{{9, 8, 9}, {8, 7, 8}, {1, 0, 1}, {7, 5, 7}, {5, 1, 5}, {6, 1, 6}, {2, 6, 6}};
  EXPECT_EQ(descendants(5, all), (std::vector<Process>{{7, 5, 7}, {8, 7, 8}, {9, 8, 9}}));
  EXPECT_TRUE(descendants(2, all).empty());
}

TEST(Processes, IncludeThisOne) {
  const Process self{::getpid(), ::getppid(), ::getpgrp()};
  const std::vector<Process> all = running_processes();
  EXPECT_NE(std::find(all.begin(), all.end(), self), all.end());
}

}  // namespace
}  // namespace adarun::agent
