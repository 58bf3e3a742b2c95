// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/tensor_part.h"

#include <gtest/gtest.h>

#include <vector>

#include "trainer/models/models.h"

namespace adarun::trainer {
namespace {

using Values = std::vector<float>;

TEST(TensorPart, IsARangeOfADimension) {
  const Values whole = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};  // 2 x 3 x 2
  Values part(4);
  take_part(whole, {{2, 3, 2}, 1, {1, 2}}, part);
  EXPECT_EQ(part, (Values{2, 3, 8, 9}));
  take_part(whole, {{6, 2}, 0, {1, 3}}, part);
  EXPECT_EQ(part, (Values{2, 3, 4, 5}));
  Values back(12, -1);
  put_part(Values{20, 30, 80, 90}, {{2, 3, 2}, 1, {1, 2}}, back);
  EXPECT_EQ(back, (Values{-1, -1, 20, 30, -1, -1, -1, -1, 80, 90, -1, -1}));
}

TEST(ModelOfRank, HasItsPartsOfTensors) {
  using planner::LayerSplit;
  const Model model = model_named("lenet5", {1, 32, 10});
  const std::vector<planner::Strategy> strategies = {{2, 2, LayerSplit::outputs},
                                                     {2, 2, LayerSplit::inputs},
                                                     {2, 2, LayerSplit::inputs},
                                                     {4, 1, LayerSplit::none},
                                                     {1, 4, LayerSplit::outputs}};
  const Model of_rank = model_of_rank(model, strategies, 3);
  std::vector<std::vector<std::int64_t>> shapes;
  for (const TensorShape& tensor : of_rank.parameters) shapes.push_back(tensor.shape);
  // fc1 takes 25 features of each of 16 channels; fc3 has 10 classes for 4 ranks: 3, 3, 2 and 2.
  const std::vector<std::vector<std::int64_t>> wanted = {
      {3, 1, 5, 5}, {3}, {16, 3, 5, 5}, {16}, {120, 200}, {120}, {84, 120}, {84}, {2, 84}, {2}};
  EXPECT_EQ(shapes, wanted);
}

}  // namespace
}  // namespace adarun::trainer
