// SPDX-License-Identifier: Apache-2.0
// Spares that are sent files before they take the places of lost nodes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/blake2b.h"
#include "launcher/stage/stage_list.h"
#include "tests/launcher/job/elastic_job.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

/// A job with spares, in which each node gets a file first.
class StagingSpareTest : public NodeReplacementTest {
 protected:
  StagingSpareTest() : NodeReplacementTest(made_list()) {
    for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Hello{ADARUN_VERSION, "h", 1, 0});
    for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::StagePresent{{""}});
    for (const std::uint32_t node : {0U, 1U}) take_file(node);
    start_ranks({0, 1, 2, 3});
    lose("gone");
    job_.take_outgoing();
    greet();
  }
  ~StagingSpareTest() override { std::filesystem::remove(path()); }

  static std::filesystem::path path() {
    return std::filesystem::path(testing::TempDir()) / ("staging_spare_test_" + std::to_string(getpid()));
  }
  static StageList made_list() {
    std::ofstream(path()) << "text";
    return read_stage_list({path().string() + ":f"});
  }
  void take_file(std::uint32_t node) {
    hear(node, protocol::StageTaken{4});
    hear(node, protocol::Staged{});
  }
};

TEST_F(StagingSpareTest, GetsItsFilesBeforeItsRanks) {
  EXPECT_EQ(sent<protocol::Stage>().size(), 1U);
  hear(1, protocol::StagePresent{{""}});
  EXPECT_EQ(sent<protocol::StagePart>(), (std::vector<protocol::StagePart>{{0, 0, "text"}}));
  take_file(1);
  EXPECT_EQ(started_by_spare(), (std::vector<std::uint32_t>{2, 3}));
}

TEST_F(StagingSpareTest, MayHaveTheFilesAlready) {
  base::Blake2b hash;
  hash.update("text");
  hear(1, protocol::StagePresent{{hash.hex()}});
  EXPECT_EQ(job_.deadline(), now_) << "the local file is read";
  job_.on_time(now_);
  job_.on_time(now_);
  EXPECT_EQ(sent<protocol::StageEnd>().size(), 1U);
  hear(1, protocol::Staged{});
  EXPECT_EQ(started_by_spare(), (std::vector<std::uint32_t>{2, 3}));
}

TEST_F(StagingSpareTest, IsGivenUpWithAllOthersIfAFileIsGone) {
  std::filesystem::remove(path());
  job_.take_outgoing();
  hear(1, protocol::StagePresent{{""}});
  EXPECT_EQ(sent<protocol::Stop>(), std::vector{protocol::Stop{true}});
  EXPECT_NE(notices_.back().find("; the job continues with 2 of 4 ranks; no spare can take the place of s1"),
            std::string::npos)
      << notices_.back();
}

TEST_F(StagingSpareTest, IsReplacedAtOnceIfItIsLost) {
  lose("gone", 10s);
  EXPECT_NE(notices_.back().find("; s2 takes its place"), std::string::npos) << notices_.back();
}

TEST_F(StagingSpareTest, HasNoRanksToSpeakOf) {
  job_.take_outgoing();
  hear(1, protocol::Abort{2, 1, "x"});
  EXPECT_NE(notices_.back().find("it speaks of ranks before it has any"), std::string::npos)
      << notices_.back();
  EXPECT_FALSE(job_.ending());
}

TEST_F(StagingSpareTest, IsEndedWithItsPartOfTheFilesIfTheJobStops) {
  job_.take_outgoing();
  job_.on_interrupt(SIGINT, now_);
  const std::vector<Outgoing> out = job_.take_outgoing();
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].nodes, (std::vector<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace adarun::launcher
