// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "trainer/boost/grad_freeze.h"

namespace adarun::trainer {
namespace {

constexpr bool w = false;  // a weight
constexpr bool b = true;   // its bias

TEST(FreezeGroups, BeginAtAWeightWhenThreeTensorsAreTogether) {
  // {w b w b} {w b w b} {w b}
  EXPECT_EQ(freeze_groups({w, b, w, b, w, b, w, b, w, b}, 3), (FreezeGroups{3, {0, 4, 8}}));
  // LeNet-5 without biases of its convolutions: {w w w b} {w b w b}
  EXPECT_EQ(freeze_groups({w, w, w, b, w, b, w, b}, 2), (FreezeGroups{2, {0, 4}}));
}

TEST(FreezeGroups, LeaveOutWholeChunksInEqualNumbers) {
  const std::vector<bool> seven_chunks = {w, b, b, w, b, b, w, b, b, w, b, b, w, b, b, w, b, b, w};
  EXPECT_EQ(freeze_groups(seven_chunks, 3), (FreezeGroups{7, {0, 6, 12}}));
  EXPECT_EQ(freeze_groups(seven_chunks, 1), (FreezeGroups{7, {0}}));
}

TEST(FreezeGroups, FreezeNothingWhereThereAreFewerChunks) {
  const FreezeGroups groups = freeze_groups({w, w, w, b, w, b, w, b}, 10);
  EXPECT_FALSE(groups.freeze());
  EXPECT_EQ(groups, (FreezeGroups{2, std::vector<std::size_t>(10, 0)}));
  EXPECT_TRUE(freeze_groups({w, w, w, b, w, b, w, b}, 2).freeze());
}

std::vector<std::size_t> first(const FreezeSequence& sequence, std::int64_t rounds) {
  std::vector<std::size_t> groups;
  for (std::int64_t round = 0; round < rounds; ++round) groups.push_back(sequence.group(round));
  return groups;
}

TEST(FreezeSequence, InTurnHasAPeriodOf29ByDefault) {
  const FreezeSequence sequence({.order = FreezeOrder::periodic}, 1);
  std::vector<std::size_t> wanted(20, 0);  // 0.7 * 9 / 0.3 is 20 in floating point, not 21
  for (std::size_t group = 1; group < 10; ++group) wanted.push_back(group);
  wanted.insert(wanted.end(), 20, 0);
  wanted.push_back(1);
  EXPECT_EQ(first(sequence, 50), wanted);
  EXPECT_EQ(sequence.size() % 29, 0U);
  EXPECT_GE(sequence.size(), 66191U);
  EXPECT_LT(sequence.size(), 66191U + 29);
}

TEST(FreezeSequence, BeginsAgainAtItsEnd) {
  const FreezeSequence sequence(
      {.groups = 3, .order = FreezeOrder::periodic, .full_share = 0.5, .total_steps = 7}, 1);
  EXPECT_EQ(sequence.size(), 8U);  // two full rounds, then 1 and 2
  EXPECT_EQ(first(sequence, 10), (std::vector<std::size_t>{0, 0, 1, 2, 0, 0, 1, 2, 0, 0}));
}

TEST(FreezeSequence, DrawnFreezesAtFixedPlaces) {
  for (const std::uint64_t seed : {1U, 2U, 77U}) {
    std::string places;
    for (const std::size_t group : first(FreezeSequence({}, seed), 15)) places += group == 0 ? '0' : 'F';
    EXPECT_EQ(places, "0F00F00F00F000F") << seed;
  }
}

TEST(FreezeSequence, DrawnIsTheSameFromTheSameSeed) {
  const auto of = [](std::uint64_t seed) { return first(FreezeSequence({}, seed), 1000); };
  EXPECT_EQ(of(5), of(5));
  EXPECT_NE(of(5), of(6));
}

/// Pearson's chi-square of the drawn groups against (N-i) / (N (N-1) / 2). With 8 degrees of freedom it is
/// above 26.1 once in a thousand; the seed is fixed.
TEST(FreezeSequence, DrawsLaterGroupsLessOften) {
  const FreezeSequence sequence({}, 1);
  std::vector<double> counts(10);
  double drawn = 0;
  for (std::size_t round = 0; round < sequence.size(); ++round) {
    const std::size_t group = sequence.group(static_cast<std::int64_t>(round));
    ASSERT_LT(group, 10U);
    ++counts[group];
    if (group > 0) ++drawn;
  }
  EXPECT_NEAR(drawn / static_cast<double>(sequence.size()), 0.3, 1e-3);
  double chi_square = 0;
  for (std::size_t group = 1; group < 10; ++group) {
    const double wanted = drawn * static_cast<double>(10 - group) / 45;
    chi_square += std::pow(counts[group] - wanted, 2) / wanted;
  }
  EXPECT_LT(chi_square, 26.1);
  EXPECT_GT(chi_square, 0.5) << "drawn, not counted out";
}

TEST(FreezeSequence, OfOneGroupNeverFreezes) {
  EXPECT_EQ(first(FreezeSequence({.groups = 1}, 1), 5), std::vector<std::size_t>(5, 0));
}

TEST(FreezeSequence, MayHaveNoFullRounds) {
  const FreezeSequence none({.groups = 3, .order = FreezeOrder::periodic, .full_share = 0, .total_steps = 4},
                            1);
  EXPECT_EQ(first(none, 4), (std::vector<std::size_t>{1, 2, 1, 2}));
  EXPECT_EQ(
      FreezeSequence(
          {.order = FreezeOrder::periodic, .full_share = std::nextafter(1.0, 0.0), .total_steps = 100}, 1)
          .size(),
      110U);
}

}  // namespace

}  // namespace adarun::trainer
