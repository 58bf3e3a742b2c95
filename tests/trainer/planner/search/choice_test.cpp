// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/search/choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "trainer/planner/model/graph.h"

namespace adarun::planner {
namespace {

/// A graph of layers with random edges to one or two earlier ones, and random costs.
class RandomChoice {
 public:
  explicit RandomChoice(unsigned seed) : random_(seed) {}

  Choice make(std::size_t nodes) {
    Choice choice;
    for (std::size_t n = 0; n < nodes; ++n) {
      auto& options = choice.nodes.emplace_back();
      for (int o = number(1, 4); o > 0; --o) options.push_back({cost(), cost(), cost()});
    }
    for (std::size_t to = 1; to < nodes; ++to) {
      for (int edges = number(1, 2); edges > 0; --edges)
        add_edge(choice, static_cast<std::size_t>(number(0, static_cast<int>(to) - 1)), to);
    }
    return choice;
  }

  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

 private:
  double cost() { return number(0, 1000); }

  void add_edge(Choice& choice, std::size_t from, std::size_t to) {
    Choice::Edge edge{from, to, {}};
    if (number(0, 1) == 0) std::swap(edge.from, edge.to);
    for (std::size_t a = 0; a < choice.nodes[edge.from].size(); ++a) {
      auto& row = edge.seconds.emplace_back();
      for (std::size_t b = 0; b < choice.nodes[edge.to].size(); ++b) row.push_back(cost());
    }
    choice.edges.push_back(std::move(edge));
  }

  std::mt19937 random_;
};

TEST(Eliminate, FindsTheFastestOfAllCombinations) {
  for (unsigned seed = 1; seed <= 96; ++seed) {
    const Choice choice = RandomChoice(seed).make(1 + seed % 8);
    const auto best = try_all(choice);
    const auto found = eliminate(choice);
    ASSERT_TRUE(best && found);
    EXPECT_EQ(found->seconds, best->seconds) << "seed " << seed;
    EXPECT_EQ(cost_of(choice, found->options).seconds, found->seconds);
  }
}

TEST(Eliminate, FindsTheFastestThatFits) {
  int tight = 0;
  for (unsigned seed = 1; seed <= 96; ++seed) {
    Choice choice = RandomChoice(seed).make(1 + seed % 8);
    choice.most_bytes = RandomChoice(seed + 1000).number(400, 5000);
    const auto best = try_all(choice);
    const auto found = eliminate(choice);
    ASSERT_EQ(found.has_value(), best.has_value()) << "seed " << seed;
    if (!best) continue;
    EXPECT_EQ(found->seconds, best->seconds) << "seed " << seed;
    EXPECT_LE(found->bytes, choice.most_bytes);
    choice.most_bytes = 1e9;
    if (eliminate(choice)->seconds < best->seconds) ++tight;
  }
  EXPECT_GT(tight, 10);  // else the limit means nothing
}

/// A chain of layers whose options' time and bytes are random real numbers: no two sums are equal.
Choice random_chain(std::size_t nodes, std::size_t options) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> cost(0, 1);
  Choice choice;
  for (std::size_t n = 0; n < nodes; ++n) {
    auto& node = choice.nodes.emplace_back();
    for (std::size_t o = 0; o < options; ++o) node.push_back({cost(random), cost(random)});
    if (n == 0) continue;
    Choice::Edge& edge = choice.edges.emplace_back(Choice::Edge{n - 1, n, {}});
    for (std::size_t a = 0; a < options; ++a) {
      auto& row = edge.seconds.emplace_back();
      for (std::size_t b = 0; b < options; ++b) row.push_back(cost(random) / 3);
    }
  }
  return choice;
}

/// The least time of a chain whose bytes are rounded to `steps` of the limit: down a bound from below,
/// up a time that can be had.
double rounded_chain(const Choice& choice, std::size_t steps, bool up) {
  const double step = choice.most_bytes / static_cast<double>(steps);
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> before;  // [option][steps used]
  for (std::size_t n = 0; n < choice.nodes.size(); ++n) {
    std::vector<std::vector<double>> now(choice.nodes[n].size(), std::vector<double>(steps + 1, never));
    for (std::size_t o = 0; o < now.size(); ++o) {
      const double seconds = choice.nodes[n][o].seconds;
      const double bytes = choice.nodes[n][o].bytes;
      const auto used = static_cast<std::size_t>(up ? std::ceil(bytes / step) : std::floor(bytes / step));
      for (std::size_t s = used; s <= steps; ++s) {
        double& least = now[o][s];
        if (n == 0) least = seconds;
        for (std::size_t from = 0; from < before.size(); ++from)
          least = std::min(least, before[from][s - used] + choice.edges[n - 1].seconds[from][o] + seconds);
      }
    }
    before = std::move(now);
  }
  double least = never;
  for (const auto& times : before) least = std::min(least, times[steps]);
  return least;
}

TEST(Eliminate, FindsTheFastestThatFitsOfManyLayers) {
  Choice choice = random_chain(120, 12);
  const double least = smallest(choice).bytes;
  choice.most_bytes = least + 0.3 * (eliminate(choice)->bytes - least);
  const auto found = eliminate(choice);
  ASSERT_TRUE(found);
  EXPECT_LE(found->bytes, choice.most_bytes);
  EXPECT_LE(found->seconds, rounded_chain(choice, 500, true));
  EXPECT_GE(found->seconds, rounded_chain(choice, 500, false));
}

TEST(Eliminate, IsQuickForThousandsOfLayers) {
  const Choice choice = random_chain(5000, 3);
  EXPECT_NEAR(eliminate(choice)->seconds, rounded_chain(choice, 1, false), 1e-6);
}

TEST(Eliminate, CountsTheLargestWorkspaceOnce) {
  // The fastest options of both nodes need 5 + 5 bytes and 20 for a while, others less and less.
  Choice choice{{{{1, 5, 20}, {2, 5, 10}, {9, 1, 0}}, {{1, 5, 20}, {3, 5, 10}, {9, 1, 0}}}, {}, 30};
  EXPECT_EQ(eliminate(choice)->seconds, 2);
  EXPECT_EQ(eliminate(choice)->bytes, 30);
  choice.most_bytes = 29;
  EXPECT_EQ(eliminate(choice)->seconds, 5) << "with a workspace of 10 each";
  EXPECT_EQ(eliminate(choice)->bytes, 20);
  choice.most_bytes = 19;
  EXPECT_EQ(eliminate(choice)->seconds, 11) << "with one of 10";
  choice.most_bytes = 2;
  EXPECT_EQ(eliminate(choice)->seconds, 18);
  choice.most_bytes = 1;
  EXPECT_FALSE(eliminate(choice));
}

TEST(Smallest, IsTheSmallestOfAllCombinations) {
  for (unsigned seed = 1; seed <= 32; ++seed) {
    Choice choice = RandomChoice(seed).make(1 + seed % 6);
    const Assignment found = smallest(choice);
    choice.most_bytes = found.bytes;
    EXPECT_TRUE(try_all(choice)) << "seed " << seed;
    choice.most_bytes = found.bytes - 1;
    EXPECT_FALSE(try_all(choice)) << "seed " << seed;
  }
}

TEST(Eliminate, FindsNothingWhereNothingFits) {
  Choice choice{{{{1, 10}, {5, 8}}}, {}, 7};
  EXPECT_FALSE(eliminate(choice));
  choice.most_bytes = 8;
  EXPECT_EQ(eliminate(choice)->seconds, 5);
}

TEST(Eliminate, RefusesAGraphThatWouldFillTheMemory) {
  Choice choice;
  constexpr std::size_t nodes = 6;
  constexpr std::size_t options = 60;
  choice.nodes.assign(nodes, std::vector<StrategyCost>(options));
  for (std::size_t a = 0; a < nodes; ++a) {
    for (std::size_t b = a + 1; b < nodes; ++b)
      choice.edges.push_back({a, b, std::vector<std::vector<double>>(options, std::vector<double>(options))});
  }
  EXPECT_THROW(eliminate(choice), Error);
}

TEST(Eliminate, AddsSeveralEdgesBetweenTwoNodes) {
  const Choice choice{{{{1, 0}, {2, 0}}, {{0, 0}, {0, 0}}},
                      {{0, 1, {{9, 9}, {3, 4}}}, {1, 0, {{0, 5}, {0, 0}}}}};
  const auto found = eliminate(choice);
  EXPECT_EQ(found->options, (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(found->seconds, 6);
}

}  // namespace
}  // namespace adarun::planner
