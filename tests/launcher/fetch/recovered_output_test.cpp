// SPDX-License-Identifier: Apache-2.0
#include "launcher/fetch/recovered_output.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/launcher/transport/fake_transport.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;

// Ranks 0 and 1 ran on two nodes; the output kept there begins with "kept of RANK".
class RecallTest : public testing::Test {
 protected:
  RecallTest() {
    fs::create_directories(folder_);
    for (const char* name : {"worker_0.log", "worker_1.log"}) std::ofstream(folder_ / name) << "here, ";
  }
  ~RecallTest() override { fs::remove_all(folder_); }

  // Each node has kept output of the rank that `rank_of` gives.
  std::vector<RecoveredOutput> recall(const std::function<std::uint32_t(std::uint32_t)>& rank_of) {
    FakeTransport transport(
        2, [&](std::uint32_t node, const protocol::Message& message) -> std::vector<protocol::Message> {
          if (std::holds_alternative<protocol::Stop>(message)) return {protocol::Done{}};
          if (!std::holds_alternative<protocol::UndeliveredRequest>(message)) return {};
          const std::uint32_t rank = rank_of(node);
          const std::string text = "kept of " + std::to_string(rank);
          return {protocol::Output{rank, protocol::Stream::out, text, 6}, protocol::UndeliveredReply{true}};
        });
    return recover_output(transport, {{0, {0}}, {1, {1}}}, "job", folder_);
  }
  std::string log(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("recall_test_" + std::to_string(getpid()));
};

TEST_F(RecallTest, AddsToEachLogWhatItsNodeHasKept) {
  const auto home = recall([](std::uint32_t node) { return node; });
  EXPECT_EQ(home[0].reason + home[1].reason, "");
  EXPECT_EQ(log("worker_0.log"), "here, kept of 0");
  EXPECT_EQ(log("worker_1.log"), "here, kept of 1");
}

TEST_F(RecallTest, AddsNothingThatALogHasAlready) {
  FakeTransport transport(
      1, [](std::uint32_t, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (std::holds_alternative<protocol::Stop>(message)) return {protocol::Done{}};
        if (!std::holds_alternative<protocol::UndeliveredRequest>(message)) return {};
        return {protocol::Output{0, protocol::Stream::out, "here, kept", 0},
                protocol::Output{0, protocol::Stream::out, " as it was started again", 10},
                protocol::UndeliveredReply{true}};
      });
  const auto home = recover_output(transport, {{0, {0}}}, "job", folder_);
  EXPECT_EQ(home[0].reason, "");
  EXPECT_EQ(home[0].new_bytes.at(0), 28U);
  EXPECT_EQ(log("worker_0.log"), "here, kept as it was started again");
}

TEST_F(RecallTest, PutsWhatAReplacedNodeHasKeptBesideTheLogs) {
  FakeTransport transport(
      2, [](std::uint32_t node, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (std::holds_alternative<protocol::Stop>(message)) return {protocol::Done{}};
        const auto* recall = std::get_if<protocol::UndeliveredRequest>(&message);
        if (recall == nullptr) return {};
        EXPECT_EQ(recall->node, 1U);
        EXPECT_EQ(recall->scratch, protocol::scratch_folder("job", 1));
        const std::string text = node == 0 ? "of the spare" : "of the node before";
        return {protocol::Output{1, protocol::Stream::out, text, 6}, protocol::UndeliveredReply{true}};
      });
  const auto home = recover_output(transport, {{1, {1}}, {1, {0, 1}, 2}}, "job", folder_);
  EXPECT_EQ(home[0].reason + home[1].reason, "");
  EXPECT_TRUE(home[0].apart.empty());
  EXPECT_EQ(home[1].apart.at(1), "worker_1.kept.2.log");
  EXPECT_EQ(log("worker_1.log"), "here, of the spare");
  EXPECT_EQ(log("worker_1.kept.2.log"), "of the node before");
}

TEST_F(RecallTest, TakesNoOutputOfARankThatRanElsewhere) {
  const auto home = recall([](std::uint32_t) { return 0; });
  EXPECT_EQ(home[0].reason, "");
  EXPECT_EQ(home[1].reason, "it sent output of rank 0, which did not run there; nothing of that is written");
  EXPECT_EQ(log("worker_0.log"), "here, kept of 0");
  EXPECT_EQ(log("worker_1.log"), "here, ");
}

TEST_F(RecallTest, TakesNoOutputOfARankThatIsNotThere) {
  const auto home = recall([](std::uint32_t node) { return node == 0 ? 0U : 7U; });
  EXPECT_NE(home[1].reason, "");
  EXPECT_FALSE(fs::exists(folder_ / "worker_7.log"));
}

TEST_F(RecallTest, GivesUpANodeThatSendsNothingNew) {
  FakeTransport transport(
      2, [](std::uint32_t node, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (node == 1 || !std::holds_alternative<protocol::UndeliveredRequest>(message)) return {};
        return {protocol::UndeliveredReply{false}, protocol::Done{}};
      });
  const auto home =
      recover_output(transport, {{0, {0}}, {1, {1}}}, "job", folder_, std::chrono::milliseconds(1));
  EXPECT_EQ(home[0].reason, "");
  EXPECT_EQ(home[1].reason, "its agent answers, but has sent nothing new for 1 ms");
}

TEST_F(RecallTest, BelievesNoNodeThatLeavesBeforeItHasToldAll) {
  FakeTransport transport(
      1, [](std::uint32_t, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (!std::holds_alternative<protocol::UndeliveredRequest>(message)) return {};
        return {protocol::Output{0, protocol::Stream::out, "a part", 6}, protocol::Done{}};
      });
  EXPECT_EQ(recover_output(transport, {{0, {0}}}, "job", folder_)[0].reason,
            "its agent left before it had told all that it kept");
}

}  // namespace
}  // namespace adarun::launcher
