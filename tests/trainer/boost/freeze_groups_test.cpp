// SPDX-License-Identifier: Apache-2.0
#include "trainer/boost/freeze_groups.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace adarun::trainer
