// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/probe/node_facts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "tests/scratch_folder.h"

namespace adarun::launcher::agent {
namespace {

using protocol::Answer;
using protocol::Outcome;
using protocol::query_about;
using protocol::Question;

/// A folder with a file "b" of ten bytes and an empty folder "a".
class AFolderOfANode : public testing::Test {
 protected:
  AFolderOfANode() {
    folder_.write("b", "0123456789");
    std::filesystem::create_directory(path_ / "a");
  }

  test::ScratchFolder folder_;
  const std::filesystem::path& path_ = folder_.path();
};

TEST_F(AFolderOfANode, IsListedInOrder) {
  const Answer answer = node_fact(query_about(Question::list, path_));
  EXPECT_EQ(answer.outcome, Outcome::answered);
  EXPECT_EQ(answer.names, (std::vector<std::string>{"a", "b"}));
}

TEST_F(AFolderOfANode, HasFilesThatAreRead) {
  const Answer answer = node_fact(query_about(Question::read, path_ / "b"));
  EXPECT_EQ(answer.outcome, Outcome::answered);
  EXPECT_EQ(answer.out, "0123456789");
}

TEST_F(AFolderOfANode, IsAnsweredWithNoMoreThanTheLimit) {
  EXPECT_EQ(node_fact(query_about(Question::read, path_ / "b", 10)).outcome, Outcome::answered);
  EXPECT_EQ(node_fact(query_about(Question::read, path_ / "b", 9)).outcome, Outcome::too_much);
  EXPECT_EQ(node_fact(query_about(Question::list, path_, 1)).outcome, Outcome::too_much);
}

TEST_F(AFolderOfANode, HasNothingElseThanWhatIsThere) {
  for (const Question question : {Question::read, Question::list}) {
    const Answer answer = node_fact(query_about(question, path_ / "none"));
    EXPECT_EQ(answer.outcome, Outcome::not_found);
    EXPECT_NE(answer.reason.find("none"), std::string::npos) << answer.reason;
  }
}

TEST_F(AFolderOfANode, IsNoFileToRead) {
  EXPECT_EQ(node_fact(query_about(Question::read, path_)).outcome, Outcome::failed);
}

TEST(NodeFact, OfAddressesHasTheHostNameAndLoopback) {
  const Answer answer = node_fact(query_about(Question::addresses, ""));
  std::array<char, 257> name{};
  ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  EXPECT_EQ(answer.out, name.data());
  EXPECT_EQ(std::count(answer.names.begin(), answer.names.end(), "127.0.0.1"), 1);
}

TEST(NodeFact, OfAProgramIsNone) {
  EXPECT_EQ(node_fact(query_about(Question::run, "")).outcome, Outcome::failed);
}

}  // namespace
}  // namespace adarun::launcher::agent
