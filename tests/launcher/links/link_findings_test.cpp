// SPDX-License-Identifier: Apache-2.0
#include "launcher/links/link_findings.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

const std::vector<std::string> names{"a", "b", "c", "d"};

// Four nodes that are all the same, at 1 GB/s and 100 us.
class FourNodes : public testing::Test {
 protected:
  FourNodes() {
    report_.reasons.resize(4);
    report_.speeds.assign(4, NodeSpeed{8e9, 5e9, {1e-6, 4e9}, std::nullopt});
    for (std::size_t from = 0; from < 4; ++from) {
      for (std::size_t to = 0; to < 4; ++to) {
        if (from != to) report_.links.push_back({from, to, {100e-6, 1e9}, ""});
      }
    }
  }

  MeasuredLink& link(std::size_t from, std::size_t to) {
    for (MeasuredLink& each : report_.links) {
      if (each.from == from && each.to == to) return each;
    }
    throw std::out_of_range("no such link");
  }

  // "warning a: ...", one line each.
  std::string found() const {
    std::string text;
    for (const LinkFinding& finding : findings_of(report_, names)) {
      text += std::string(name_of(finding.verdict)) + ' ';
      for (const std::string& node : finding.nodes) text += node;
      text += ": " + finding.text + '\n';
    }
    return text;
  }

  LinkReport report_;
};

TEST_F(FourNodes, AreNotOutOfTheOrdinary) {
  EXPECT_EQ(found(), "");
}

TEST_F(FourNodes, HaveOneThatSendsSlowly) {
  for (std::size_t to = 0; to < 3; ++to) link(3, to).costs.bytes_per_s = 0.41e9;
  EXPECT_EQ(found(), "warning d: sends at 0.41 of the others' rate: 3.28 Gbit/s\n");
}

TEST_F(FourNodes, HaveOneThatReceivesSlowly) {
  for (std::size_t from = 1; from < 4; ++from) link(from, 0).costs.bytes_per_s = 0.5e9;
  EXPECT_EQ(found(), "warning a: receives at 0.50 of the others' rate: 4.00 Gbit/s\n");
}

TEST_F(FourNodes, HaveOneLinkThatIsSlow) {
  link(1, 2).costs.bytes_per_s = 0.2e9;
  EXPECT_EQ(found(), "warning b: sends to c at 0.20 of what both reach with others: 1.60 Gbit/s\n");
}

TEST_F(FourNodes, HaveOneThatIsLate) {
  for (std::size_t to = 0; to < 3; ++to) link(3, to).costs.message_s = link(to, 3).costs.message_s = 310e-6;
  EXPECT_EQ(found(), "warning d: its messages take 3.1 times as long as the others': 310 us\n");
}

TEST_F(FourNodes, HaveOneThatIsSlowItself) {
  report_.speeds[1]->copied_bytes_per_s = 4e9;
  report_.speeds[2]->operations_per_s = 1e9;
  EXPECT_EQ(found(),
            "warning b: copies memory at 0.50 of the others' rate: 4.0 GB/s\n"
            "warning c: computes at 0.20 of the others' rate: 1.0 GFLOP/s a rank\n");
}

TEST_F(FourNodes, HaveLinksThatFailForOneReason) {
  for (std::size_t from = 0; from < 3; ++from)
    link(from, 3).reason = link(3, from).reason = "Connection refused";
  report_.reasons[2] = "its agent is gone";
  EXPECT_EQ(found(), "wrong c: its agent is gone\nwrong abc: the link to d: Connection refused\n");
}

TEST_F(FourNodes, AreCountedByLevel) {
  EXPECT_EQ(levels_of(report_, {}),
            (std::vector<LevelCosts>{{"node", 4, {1e-6, 4e9}}, {"cluster", 12, {100e-6, 1e9}}}));
  link(0, 1).costs = {20e-6, 3e9};
  link(1, 0).costs = {20e-6, 3e9};
  EXPECT_EQ(levels_of(report_, {0, 0, 1, 2}),
            (std::vector<LevelCosts>{
                {"node", 4, {1e-6, 4e9}}, {"pod", 2, {20e-6, 3e9}}, {"cluster", 10, {100e-6, 1e9}}}));
}

TEST_F(FourNodes, CostWhatTheyCostBetweenNumaNodes) {
  for (auto& speed : report_.speeds) speed->numa_nodes = LinkCosts{2e-6, 2e9};
  EXPECT_EQ(levels_of(report_, {})[0], (LevelCosts{"node", 4, {2e-6, 2e9}}));
}

TEST(ALatency, IsDescribedInItsUnit) {
  EXPECT_EQ(describe_latency(0.2e-6), "0.2 us");
  EXPECT_EQ(describe_latency(142.4e-6), "142 us");
  EXPECT_EQ(describe_latency(0.0421), "42.1 ms");
}

}  // namespace
}  // namespace adarun::launcher
