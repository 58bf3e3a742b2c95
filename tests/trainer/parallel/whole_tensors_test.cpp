// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/whole_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "trainer/models/models.h"

namespace adarun::trainer {
namespace {

using planner::LayerSplit;
using planner::Strategy;

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
  const Model model = model_named("lenet5", {1, 32, 10});
  const std::vector<Strategy> strategies = {{2, 2, LayerSplit::outputs},
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

constexpr int world_size = 4;

/// Layers of a residual net on unlike meshes.
std::vector<Strategy> unlike_meshes(const Model& model) {
  const std::vector<Strategy> some = {{2, 2, LayerSplit::outputs},
                                      {4, 1, LayerSplit::none},
                                      {1, 4, LayerSplit::inputs},
                                      {2, 2, LayerSplit::none},
                                      {1, 4, LayerSplit::outputs}};
  std::vector<Strategy> strategies;
  for (std::size_t layer = 0; layer < model.graph.layers.size(); ++layer)
    strategies.push_back(some[layer % some.size()]);
  return strategies;
}

/// What `rank` holds of `whole`, the values of all `tensors`.
std::vector<float> parts_of(std::span<const float> whole, const std::vector<TensorShape>& tensors,
                            const Model& model, const std::vector<Strategy>& strategies, int rank) {
  std::vector<float> parts;
  for (const TensorShape& tensor : tensors) {
    const TensorPart part = part_of_tensor(model, tensor, strategies, rank);
    std::vector<float> values(part.count());
    take_part(whole, part, values);
    parts.insert(parts.end(), values.begin(), values.end());
    whole = whole.subspan(static_cast<std::size_t>(tensor.count()));
  }
  return parts;
}

TEST(WholeTensors, AreGatheredFromTheirPartsAndTakenApartAgain) {
  const Model model = model_named("resnet20", {4, 32, 10});
  const std::vector<Strategy> strategies = unlike_meshes(model);
  adasum::run_ranks(world_size, [&](adasum::Communicator& world) {
    WholeTensors tensors(model, strategies, world);
    std::vector<float> whole(tensors.weights());
    std::iota(whole.begin(), whole.end(), 0.0F);
    const std::vector<float> parts = parts_of(whole, model.parameters, model, strategies, world.rank());

    std::vector<float> gathered(world.rank() == 0 ? tensors.weights() : 0);
    tensors.gather(parts, gathered);
    if (world.rank() == 0) {
      EXPECT_EQ(gathered, whole);
    }
    std::vector<float> back(parts.size());
    tensors.scatter(gathered, back);
    EXPECT_EQ(back, parts);
  });
}

/// The buffers of a model, unlike in each replica of their layer.
std::vector<float> buffers_of_rank(const Model& model, const std::vector<Strategy>& strategies, int rank) {
  std::vector<float> values;
  for (const TensorShape& tensor : model.buffers) {
    const std::int64_t parts =
        strategies[tensor.layer].split == LayerSplit::outputs ? strategies[tensor.layer].parts : 1;
    for (std::int64_t i = 0; i < tensor.count(); ++i)
      values.push_back(static_cast<float>(1000 * (rank / parts) + static_cast<std::int64_t>(values.size())));
  }
  return values;
}

TEST(WholeTensors, AreTheBuffersOfEveryReplica) {
  const Model model = model_named("resnet20", {4, 32, 10});
  const std::vector<Strategy> strategies = unlike_meshes(model);
  std::vector<float> of_all;
  for (int rank = 0; rank < world_size; ++rank) {
    const std::vector<float> buffers = buffers_of_rank(model, strategies, rank);
    of_all.insert(of_all.end(), buffers.begin(), buffers.end());
  }
  adasum::run_ranks(world_size, [&](adasum::Communicator& world) {
    WholeTensors tensors(model, strategies, world);
    ASSERT_EQ(tensors.buffers() * world_size, of_all.size());
    const std::vector<float> parts = parts_of(buffers_of_rank(model, strategies, world.rank()), model.buffers,
                                              model, strategies, world.rank());
    std::vector<float> gathered(world.rank() == 0 ? of_all.size() : 0);
    tensors.gather_buffers(parts, gathered);
    if (world.rank() == 0) {
      EXPECT_EQ(gathered, of_all);
    }
    std::vector<float> back(parts.size());
    tensors.scatter_buffers(gathered, back);
    EXPECT_EQ(back, parts);
  });
}

}  // namespace
}  // namespace adarun::trainer
