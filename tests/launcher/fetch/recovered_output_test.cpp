// SPDX-License-Identifier: Apache-2.0
#include "launcher/fetch/recovered_output.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/launcher/transport/fake_transport.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

using Messages = std::vector<protocol::Message>;

protocol::Message output(std::uint32_t rank, const std::string& text, std::uint64_t offset = 6) {
  return protocol::Output{rank, protocol::Stream::out, text, offset};
}

// The logs of ranks 0 and 1, which have 6 bytes each.
class RecallTest : public testing::Test {
 protected:
  RecallTest() {
    for (const char* name : {"worker_0.log", "worker_1.log"}) folder_.write(name, "here, ");
  }

  // Asks nodes that answer so, and leave when they are told to.
  std::vector<RecoveredOutput> recall(
      std::vector<AskedNode> nodes,
      const std::function<Messages(std::uint32_t, const protocol::UndeliveredRequest&)>& answer,
      std::chrono::milliseconds silence = std::chrono::minutes(1)) {
    FakeTransport transport(static_cast<std::uint32_t>(nodes.size()),
                            [&](std::uint32_t node, const protocol::Message& message) -> Messages {
                              if (std::holds_alternative<protocol::Stop>(message)) return {protocol::Done{}};
                              const auto* request = std::get_if<protocol::UndeliveredRequest>(&message);
                              return request == nullptr ? Messages{} : answer(node, *request);
                            });
    return recover_output(transport, std::move(nodes), "job", folder_.path(), silence);
  }
  // Ranks 0 and 1 ran on two nodes, each of which has kept output of the rank that `rank_of` gives.
  std::vector<RecoveredOutput> recall_of(const std::function<std::uint32_t(std::uint32_t)>& rank_of) {
    return recall({{0, {0}}, {1, {1}}}, [&](std::uint32_t node, const auto&) -> Messages {
      const std::uint32_t rank = rank_of(node);
      return {output(rank, "kept of " + std::to_string(rank)), protocol::UndeliveredReply{true}};
    });
  }
  std::string log(const std::string& name) const { return test::content_of(folder_.path() / name); }

  test::ScratchFolder folder_;
};

TEST_F(RecallTest, AddsToEachLogWhatItsNodeHasKept) {
  const auto home = recall_of([](std::uint32_t node) { return node; });
  EXPECT_EQ(home[0].reason + home[1].reason, "");
  EXPECT_EQ(log("worker_0.log"), "here, kept of 0");
  EXPECT_EQ(log("worker_1.log"), "here, kept of 1");
}

TEST_F(RecallTest, AddsNothingThatALogHasAlready) {
  const auto home = recall({{0, {0}}}, [](std::uint32_t, const auto&) -> Messages {
    return {output(0, "here, kept", 0), output(0, " as it was started again", 10),
            protocol::UndeliveredReply{true}};
  });
  EXPECT_EQ(home[0].reason, "");
  EXPECT_EQ(home[0].new_bytes.at(0), 28U);
  EXPECT_EQ(log("worker_0.log"), "here, kept as it was started again");
}

TEST_F(RecallTest, PutsWhatAReplacedNodeHasKeptBesideTheLogs) {
  const auto home =
      recall({{1, {1}}, {1, {0, 1}, 2}}, [](std::uint32_t node, const auto& request) -> Messages {
        EXPECT_EQ(request.node, 1U);
        EXPECT_EQ(request.scratch, protocol::scratch_folder("job", 1));
        return {output(1, node == 0 ? "of the spare" : "of the node before"),
                protocol::UndeliveredReply{true}};
      });
  EXPECT_EQ(home[0].reason + home[1].reason, "");
  EXPECT_TRUE(home[0].apart.empty());
  EXPECT_EQ(home[1].apart.at(1), "worker_1.kept.2.log");
  EXPECT_EQ(log("worker_1.log"), "here, of the spare");
  EXPECT_EQ(log("worker_1.kept.2.log"), "of the node before");
}

TEST_F(RecallTest, TakesNoOutputOfARankThatRanElsewhereOrIsNotThere) {
  auto home = recall_of([](std::uint32_t) { return 0; });
  EXPECT_EQ(home[0].reason, "");
  EXPECT_EQ(home[1].reason, "it sent output of rank 0, which did not run there; nothing of that is written");
  EXPECT_EQ(log("worker_0.log"), "here, kept of 0");
  EXPECT_EQ(log("worker_1.log"), "here, ");
  home = recall_of([](std::uint32_t node) { return node == 0 ? 0U : 7U; });
  EXPECT_NE(home[1].reason, "");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "worker_7.log"));
}

TEST_F(RecallTest, GivesUpANodeThatSendsNothingNew) {
  const auto home = recall(
      {{0, {0}}, {1, {1}}},
      [](std::uint32_t node, const auto&) -> Messages {
        if (node == 1) return {};
        return {protocol::UndeliveredReply{false}, protocol::Done{}};
      },
      std::chrono::milliseconds(1));
  EXPECT_EQ(home[0].reason, "");
  EXPECT_EQ(home[1].reason, "its agent answers, but has sent nothing new for 1 ms");
}

TEST_F(RecallTest, BelievesNoNodeThatLeavesBeforeItHasToldAll) {
  const auto home = recall({{0, {0}}}, [](std::uint32_t, const auto&) -> Messages {
    return {output(0, "a part"), protocol::Done{}};
  });
  EXPECT_EQ(home[0].reason, "its agent left before it had told all that it kept");
}

}  // namespace
}  // namespace adarun::launcher
