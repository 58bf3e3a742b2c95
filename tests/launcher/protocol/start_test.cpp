// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/start.h"

#include <gtest/gtest.h>

namespace adarun::launcher::protocol {
namespace {

const JobSpec sample{{{"n0", {0}}}, {{"table", "t"}}, {"./train"}, "/work", {"A=2"}, "", {1, 0}};

TEST(Complete, GivesANodeWhatAllHaveInCommon) {
  Start start;
  start.ranks = {{0, 0, {}, {"A=1"}, "", {}}};
  const Start whole = complete(start, sample);
  EXPECT_EQ(whole.nodes, sample.nodes);
  EXPECT_EQ(whole.files, sample.files);
  EXPECT_EQ(whole.application_of_rank, sample.application_of_rank);
  EXPECT_EQ(whole.ranks[0].argv, sample.argv);
  EXPECT_EQ(whole.ranks[0].workdir, "/work");
  EXPECT_EQ(whole.ranks[0].environment, (std::vector<std::string>{"A=1", "A=2"}));
}

TEST(Complete, LeavesANodeItsOwn) {
  Start start;
  start.nodes = {{"me", {7}}};
  start.ranks = {{7, 0, {"./other"}, {}, "/mine", {}}};
  const Start whole = complete(start, sample);
  EXPECT_EQ(whole.nodes, start.nodes);
  EXPECT_EQ(whole.ranks[0].argv, start.ranks[0].argv);
  EXPECT_EQ(whole.ranks[0].workdir, "/mine");
  EXPECT_EQ(complete(start, {}), start);
}

}  // namespace
}  // namespace adarun::launcher::protocol
