// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "launcher/stage/stage_list.h"
#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {

inline std::string endpoint_of(std::uint32_t rank) {
  return "h:" + std::to_string(rank + 1);
}

/// Whose root is the first of them.
inline protocol::Members members_of(std::uint64_t generation, const std::vector<std::uint32_t>& ranks) {
  return {generation, ranks, ranks.front(), endpoint_of(ranks.front())};
}

/// Two nodes of two ranks each, which continue while two are left.
class ElasticJobTest : public JobTest {
 protected:
  explicit ElasticJobTest(std::size_t least = 2, int restarts = 0,
                          std::optional<std::chrono::milliseconds> hang_timeout = {},
                          NodeReplacement::TakePlace take_place = {}, const StageList& stage = {})
      : JobTest({.timeout = std::chrono::hours(1),
                 .hang_timeout = hang_timeout,
                 .min_ranks = least,
                 .rank_restarts = restarts},
                "n[0-1]:2", {.stage = stage}, std::move(take_place)) {}

  void start(const std::vector<std::uint32_t>& staying) {
    for (const std::uint32_t node : {0U, 1U}) greet(node);
    start_ranks(staying);
  }
  void start_ranks(const std::vector<std::uint32_t>& staying) {
    for (std::uint32_t rank = 0; rank < 4; ++rank) hear(rank / 2, protocol::Started{rank, 100 + rank, 0, {}});
    for (std::uint32_t rank = 0; rank < 4; ++rank) hear(rank / 2, protocol::Joined{rank});
    job_.take_outgoing();
    for (const std::uint32_t rank : staying) {
      hear(rank / 2, protocol::ListensAt{rank, endpoint_of(rank)});
      hear(rank / 2, protocol::StaysOn{rank});
    }
    if (staying.size() == 4) {
      EXPECT_EQ(told(2), members_of(1, {0, 1, 2, 3}));
    }
    EXPECT_TRUE(job_.take_outgoing().empty());
  }
  void exit(std::uint32_t rank, int code, int signal = 0, bool finalized = false) {
    protocol::Exited exited;
    exited.rank = rank;
    exited.code = code;
    exited.signal = signal;
    exited.mpi_connected = true;
    exited.mpi_finalized = finalized || (code == 0 && signal == 0);
    hear(rank / 2, exited);
  }
  // The one message that each node was sent since the last call.
  protocol::Members told(std::size_t nodes) {
    std::vector<protocol::Members> told;
    for (const Outgoing& out : job_.take_outgoing()) {
      const auto* members = std::get_if<protocol::Members>(&out.message);
      EXPECT_TRUE(members);
      EXPECT_EQ(out.nodes.size(), nodes);
      if (members) told.push_back(*members);
    }
    EXPECT_EQ(told.size(), 1U);
    return told.empty() ? protocol::Members{} : told.front();
  }
  // What a job that hangs after a minute of silence fails with, where no node answers; `asked`: of how
  // many ranks they are asked.
  std::string failure_of_hang(std::size_t asked) {
    now_ += std::chrono::minutes(1);
    job_.on_time(now_);
    EXPECT_EQ(sent<protocol::Query>().size(), asked) << "of those that have a process";
    now_ += std::chrono::minutes(1);
    job_.on_time(now_);
    EXPECT_EQ(job_.report().failures.size(), 1U);
    return job_.report().failures.empty() ? "" : job_.report().failures[0].message;
  }
  void end(const std::vector<std::uint32_t>& ranks) {
    for (const std::uint32_t rank : ranks) exit(rank, 0);
    EXPECT_TRUE(stops());
    done_all();
    ASSERT_TRUE(job_.ended());
    EXPECT_EQ(job_.report().exit_status(), 0);
  }
};

/// A job with spares s1 and s2 that continues while two ranks are left.
class NodeReplacementTest : public ElasticJobTest {
 protected:
  explicit NodeReplacementTest(const StageList& stage = {}, int restarts = 0,
                               std::optional<std::chrono::milliseconds> hang_timeout = {})
      : ElasticJobTest(
            2, restarts, hang_timeout, [this](std::uint32_t node) { return take_place(node); }, stage) {
    if (stage.empty()) start({0, 1, 2, 3});
  }

  std::string take_place(std::uint32_t node) {
    if (spares_.empty()) return "no spare can take its place";
    plan_.nodes[node].host.name = spares_.front();
    spares_.erase(spares_.begin());
    return "";
  }
  void lose(const std::string& reason, std::chrono::milliseconds runs_on = {}) {
    JobTest::lose(1, reason, runs_on);
  }
  void greet() { hear(1, protocol::Hello{ADARUN_VERSION, "s", 1, 0}); }
  // The ranks that a spare is told to start, after its Hello.
  std::vector<std::uint32_t> started_by_spare() {
    std::vector<std::uint32_t> ranks;
    for (const protocol::Start& start : sent<protocol::Start>())
      for (const protocol::RankSpec& part : start.ranks) ranks.push_back(part.rank);
    return ranks;
  }
  void run(std::uint32_t rank) {
    hear(1, protocol::Started{rank, 200 + rank, 0, {}});
    hear(1, protocol::Joined{rank});
  }
  void come(std::uint32_t rank) {
    run(rank);
    hear(1, protocol::StaysOn{rank});
    hear(1, protocol::ListensAt{rank, "s:9"});
  }
  void on_replaced(std::uint32_t node, const std::string& lost) override {
    EXPECT_EQ(node, 1U);
    replaced_.push_back(lost);
  }

  std::vector<std::string> spares_{"s1", "s2"};
  std::vector<std::string> replaced_;
};

}  // namespace adarun::launcher
