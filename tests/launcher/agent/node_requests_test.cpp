// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/node_requests.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "launcher/protocol/archive.h"
#include "tests/launcher/agent/channel_ends.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher::agent {
namespace {

class NodeRequestsOfALauncher : public testing::Test {
 protected:
  static protocol::Stage stage_of(const std::string& path) {
    return {"", {{path, protocol::StageKind::file, 0600, 1, ""}}};
  }

  // So many items of one path that they take longer than one tick.
  static protocol::Stage long_stage_of(const std::string& path, protocol::StageKind kind) {
    return {"", std::vector<protocol::StageItem>(20'000, {path, kind, 0700, 1, ""})};
  }

  // The messages of the first tick that has any.
  std::vector<protocol::Message> messages_of_ticks() {
    constexpr std::chrono::seconds most_time{60};
    std::vector<protocol::Message> messages;
    for (const auto end = Clock::now() + most_time; messages.empty() && Clock::now() < end;) {
      requests_.tick(now_);
      messages = ends_.received();
    }
    return messages;
  }

  ChannelEnds ends_;
  Termination termination_;
  std::vector<std::string> failures_;
  NodeRequests requests_{
      Environment(), ends_.channel(), termination_,
      [this](protocol::StartFailure, const std::string& message) { failures_.push_back(message); }};
  const Clock::time_point now_ = Clock::now();
};

TEST_F(NodeRequestsOfALauncher, AreAnsweredInTheNextTurn) {
  EXPECT_TRUE(requests_.take(protocol::query_about(protocol::Question::read, "/no/such/file")));
  EXPECT_TRUE(ends_.received().empty());
  EXPECT_FALSE(requests_.answer(now_)) << "a program runs";
  const std::vector<protocol::Message> messages = ends_.received();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(std::get<protocol::Answer>(messages[0]).outcome, protocol::Outcome::not_found);
}

TEST_F(NodeRequestsOfALauncher, AreNotWhatIsOfAJob) {
  EXPECT_FALSE(requests_.take(protocol::Start{}));
  EXPECT_FALSE(requests_.take(protocol::Ping{1}));
  EXPECT_FALSE(requests_.take(protocol::Done{}));
}

TEST_F(NodeRequestsOfALauncher, FailWhereAFileCannotBePut) {
  EXPECT_TRUE(requests_.take(stage_of("/dev/null/file")));
  EXPECT_EQ(messages_of_ticks(), std::vector<protocol::Message>{protocol::StagePresent{{""}}});
  EXPECT_TRUE(requests_.take(protocol::StagePart{0, 0, "x"}));
  ASSERT_EQ(failures_.size(), 1U);
  EXPECT_NE(failures_[0].find("/dev/null"), std::string::npos) << failures_[0];
}

TEST_F(NodeRequestsOfALauncher, LeaveTimeForPingsWhileManyFilesAreLookedFor) {
  const test::ScratchFolder scratch;
  EXPECT_TRUE(requests_.take(long_stage_of(scratch.path() / "file", protocol::StageKind::file)));
  requests_.tick(now_);
  EXPECT_TRUE(ends_.received().empty()) << "the agent answers Pings between ticks";
  const std::vector<protocol::Message> messages = messages_of_ticks();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(std::get<protocol::StagePresent>(messages[0]).hashes.size(), 20'000U);
}

TEST_F(NodeRequestsOfALauncher, LeaveTimeForPingsWhileManyFilesArePutInTheirPlaces) {
  const test::ScratchFolder scratch;
  EXPECT_TRUE(requests_.take(long_stage_of(scratch.path() / "folder", protocol::StageKind::folder)));
  ASSERT_EQ(messages_of_ticks().size(), 1U);
  EXPECT_TRUE(requests_.take(protocol::StageEnd{}));
  EXPECT_TRUE(ends_.received().empty());
  requests_.tick(now_);
  EXPECT_TRUE(ends_.received().empty()) << "the agent answers Pings between ticks";
  EXPECT_EQ(messages_of_ticks(), std::vector<protocol::Message>{protocol::Staged{}});
  EXPECT_EQ(std::filesystem::status(scratch.path() / "folder").permissions(),
            std::filesystem::perms::owner_all);
  EXPECT_TRUE(failures_.empty());
}

TEST_F(NodeRequestsOfALauncher, AreOverWhereAFolderCannotBeMade) {
  EXPECT_TRUE(
      requests_.take(protocol::Stage{"", {{"/dev/null/a", protocol::StageKind::folder, 0700, 0, ""}}}));
  ASSERT_EQ(messages_of_ticks().size(), 1U);
  EXPECT_TRUE(requests_.take(protocol::StageEnd{}));
  for (int i = 0; i < 4; ++i) requests_.tick(now_);
  ASSERT_EQ(failures_.size(), 1U);
  EXPECT_NE(failures_[0].find("/dev/null/a"), std::string::npos) << failures_[0];
  EXPECT_TRUE(ends_.received().empty()) << "nothing is in its place";
}

TEST_F(NodeRequestsOfALauncher, AreQuestionsAloneOnceThereIsAJob) {
  requests_.close();
  EXPECT_THROW(requests_.take(protocol::Find{}), protocol::Error);
  EXPECT_THROW(requests_.take(protocol::Fetch{}), protocol::Error);
  EXPECT_THROW(requests_.take(protocol::UndeliveredRequest{}), protocol::Error);
  EXPECT_TRUE(requests_.take(stage_of("/dev/null/file")));
  requests_.tick(now_);
  EXPECT_TRUE(ends_.received().empty());
  EXPECT_TRUE(requests_.take(protocol::query_about(protocol::Question::read, "/no/such/file")));
  requests_.answer(now_);
  EXPECT_EQ(ends_.received().size(), 1U);
}

TEST_F(NodeRequestsOfALauncher, AreLeftWhenTheEndHasBegun) {
  termination_.begin(TerminationMode::graceful, now_);
  EXPECT_TRUE(requests_.take(protocol::query_about(protocol::Question::read, "/no/such/file")));
  EXPECT_TRUE(requests_.take(stage_of("/dev/null/file")));
  EXPECT_TRUE(requests_.take(protocol::Find{}));
  EXPECT_FALSE(requests_.answer(now_));
  requests_.tick(now_);
  EXPECT_TRUE(ends_.received().empty());
  EXPECT_TRUE(failures_.empty());
}

}  // namespace
}  // namespace adarun::launcher::agent
