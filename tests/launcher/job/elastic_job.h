// SPDX-License-Identifier: Apache-2.0
#pragma once

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
inline protocol::Members members_of(std::uint64_t generation, const RankList& ranks) {
  return {generation, ranks, ranks.front(), endpoint_of(ranks.front())};
}

/// Two nodes of two ranks each, which continue while two are left.
class ElasticJobTest : public JobTest {
 protected:
  explicit ElasticJobTest(std::size_t least = 2, int restarts = 0,
                          std::optional<std::chrono::milliseconds> hang_timeout = {}, Texts spares = {},
                          const StageList& stage = {})
      : JobTest({.timeout = 1h, .hang_timeout = hang_timeout, .min_ranks = least, .rank_restarts = restarts},
                "n[0-1]:2", {.stage = stage}, std::move(spares)) {}

  // All ranks start, and of these each says that it stays on.
  void start(const RankList& staying = {0, 1, 2, 3}) {
    greet_all();
    run_ranks(staying);
  }
  void run_ranks(const RankList& staying) {
    start_ranks({0, 1, 2, 3});
    join({0, 1, 2, 3});
    job_.take_outgoing();
    stay_on(staying);
    if (staying.size() == 4) {
      EXPECT_EQ(told(2), members_of(1, {0, 1, 2, 3}));
    }
    EXPECT_TRUE(job_.take_outgoing().empty());
  }
  void finalize(const RankList& ranks) {
    for (const std::uint32_t rank : ranks) hear(node_of(rank), protocol::Finalized{rank});
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
  // What a job that hangs after a minute of silence fails with, where no node answers; `asked`: how
  // many ranks they are asked about.
  std::string failure_of_hang(std::size_t asked) {
    pass(1min);
    EXPECT_EQ(sent<protocol::Query>().size(), 2 * asked) << "two of each that has a process";
    pass(1min);
    EXPECT_EQ(job_.report().failures.size(), 1U);
    return failure();
  }
  // These end well, and agents are told then to end what else runs.
  void end_well(const RankList& ranks) {
    exit_well(ranks);
    EXPECT_TRUE(stops());
    EXPECT_EQ(end(), 0);
  }
};

}  // namespace adarun::launcher
