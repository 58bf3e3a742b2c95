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

#include "launcher/job/job.h"
#include "tests/launcher/job/sent_messages.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
inline std::string endpoint_of(std::uint32_t rank) {
  return "h:" + std::to_string(rank + 1);
}

/// Whose root is the first of them.
inline protocol::Members members_of(std::uint64_t generation, const std::vector<std::uint32_t>& ranks) {
  return {generation, ranks, ranks.front(), endpoint_of(ranks.front())};
}

/// Two nodes of two ranks each, which go on while two are left.
class ElasticJobTest : public testing::Test, public JobObserver {
 protected:
  explicit ElasticJobTest(std::size_t least = 2, int restarts = 0,
                          std::optional<std::chrono::milliseconds> hang_timeout = {},
                          SpareJoins::TakePlace take_place = {}, const StageList& stage = {})
      : plan_(plan_of("n[0-1]:2",
                      {.timeout = std::chrono::hours(1),
                       .hang_timeout = hang_timeout,
                       .min_ranks = least,
                       .rank_restarts = restarts},
                      {.stage = stage})),
        job_(plan_, *this, now_, std::move(take_place)) {}

  void hear(std::uint32_t node, protocol::Message message) {
    job_.on_event({node, std::move(message)}, now_);
  }
  void start(const std::vector<std::uint32_t>& staying) {
    for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Hello{ADARUN_VERSION, "h", 1, 0});
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
  template <typename Kind>
  std::vector<Kind> sent() {
    return sent_by<Kind>(job_);
  }
  bool stops() { return !sent_by<protocol::Stop>(job_).empty(); }
  void end(const std::vector<std::uint32_t>& ranks) {
    for (const std::uint32_t rank : ranks) exit(rank, 0);
    EXPECT_TRUE(stops());
    for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Done{});
    ASSERT_TRUE(job_.ended());
    EXPECT_EQ(job_.report().exit_status(), 0);
  }
  void on_notice(const std::string& text) override { notices_.push_back(text); }
  void on_members(const protocol::Members& /*members*/, const std::string& why) override {
    reasons_.push_back(why);
  }

  Plan plan_;
  Job::Clock::time_point now_{};
  std::vector<std::string> notices_;
  std::vector<std::string> reasons_;
  Job job_;
};

}  // namespace adarun::launcher
