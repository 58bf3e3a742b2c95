// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/job/job.h"
#include "launcher/stage/stage_list.h"
#include "tests/launcher/job/elastic_job.h"
#include "tests/launcher/job/sent_messages.h"

namespace adarun::launcher {

/// A job with spares s1 and s2 that goes on while two ranks are left.
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
    job_.on_event({1, LinkLost{reason, runs_on}}, now_);
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
