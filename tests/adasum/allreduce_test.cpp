// SPDX-License-Identifier: Apache-2.0
// The engine with threads as ranks: whole worlds in one process.
#include "adasum/plan.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adasum/bucket_plan.h"
#include "adasum/communicators/thread_communicator.h"
#include "adasum/mean.h"
#include "adasum/types/error.h"
#include "tests/adasum/world_checks.h"

namespace adasum {
namespace {

class World : public testing::TestWithParam<int> {};

TEST_P(World, GivesTheGoldenValues) {
  run_ranks(GetParam(), checks::golden_values);
}

TEST_P(World, AgreesWithTheSlowTree) {
  run_ranks(GetParam(), checks::slow_tree_sizes);
}

TEST_P(World, TakesTheMeanOverTheRanks) {
  run_ranks(GetParam(), [](Communicator& communicator) {
    std::vector<float> data = {2, static_cast<float>(2 * communicator.rank())};
    mean<float>(data, communicator);
    EXPECT_EQ(data, (std::vector<float>{2, static_cast<float>(communicator.size() - 1)}));
  });
}

TEST_P(World, FindsTheRankThatIsNotFinite) {
  run_ranks(GetParam(), checks::not_finite);
}

TEST_P(World, RefusesListsThatDiffer) {
  run_ranks(GetParam(), checks::lists_that_differ);
}

INSTANTIATE_TEST_SUITE_P(OfThreads, World, testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 16),
                         testing::PrintToStringParamName());

// Each computes the whole result, from copies that are longer than those of small vectors.
TEST(Pairs, AgreeWithTheSlowTree) {
  run_ranks(2, [](Communicator& communicator) { checks::slow_tree(communicator, 40'000); });
}

// Orthogonal vectors add, so each element shows its place.
TEST(Pairs, PutTheElementsOfSmallAndLargeTensorsInTheirPlaces) {
  const std::vector<std::int64_t> counts = {1, 9'000, 300, 12'345};
  run_ranks(2, [&](Communicator& communicator) {
    std::vector<float> wanted(21'646);
    std::vector<float> data(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      wanted[i] = static_cast<float>(i + 1);
      if (static_cast<int>(i % 2) == communicator.rank()) data[i] = wanted[i];
    }
    EXPECT_EQ(allreduce<float>(data, counts, communicator), std::nullopt);
    EXPECT_EQ(data, wanted);
  });
}

// Nodes of several ranks each: the ranks of a node share memory, the nodes exchange messages.
TEST(Nodes, AgreeWithTheSlowTree) {
  for (const int ranks_per_node : {2, 4, 8}) {
    const ThreadWorld nodes{.ranks_per_node = ranks_per_node};
    run_ranks(
        16, [](Communicator& communicator) { checks::takes_shared_memory(communicator, true); }, nodes);
    run_ranks(
        16, [](Communicator& communicator) { checks::slow_tree(communicator, 100); }, nodes);
    run_ranks(
        16, [](Communicator& communicator) { checks::slow_tree(communicator, 100, 2); }, nodes);
    run_ranks(8, checks::not_finite, nodes);
  }
}

TEST(Nodes, HaveNoErrorWhereAResultIsTooLargeAsOneNodeHasNone) {
  for (const int ranks_per_node : {8, 4}) {
    for (const int group_size : {1, 2}) {
      run_ranks(8, [&](Communicator& communicator) { checks::result_too_large(communicator, group_size); },
                {.ranks_per_node = ranks_per_node});
    }
  }
}

// Subtrees that extend over nodes, and nodes of different sizes.
TEST(Nodes, ThatDoNotHoldWholeSubtreesGoByMessages) {
  run_ranks(12, [](Communicator& communicator) { checks::takes_shared_memory(communicator, false); },
            {.ranks_per_node = 3});
  run_ranks(12, [](Communicator& communicator) { checks::slow_tree(communicator, 100); },
            {.ranks_per_node = 3});
  run_ranks(12, [](Communicator& communicator) { checks::slow_tree(communicator, 100, 4); },
            {.ranks_per_node = 6});
  run_ranks(8, [](Communicator& communicator) { checks::slow_tree(communicator, 100); },
            {.ranks_per_node = 3});
}

TEST(Groups, NeedNotBeAPowerOfTwo) {
  run_ranks(6, [](Communicator& communicator) { checks::slow_tree(communicator, 17, 3); });
  run_ranks(12, [](Communicator& communicator) { checks::slow_tree(communicator, 100, 3); });
  run_ranks(5, [](Communicator& communicator) { checks::slow_tree(communicator, 3, 5); });
}

TEST(Worlds, AreRefusedUnlessAPowerOfTwo) {
  for (const int size : {3, 5, 6, 7, 12}) run_ranks(size, checks::refuses_world);
}

TEST(Groups, AreRefusedWhereTheyDoNotFitTheWorld) {
  for (const int group_size : {-1, 0, 3, 8, 16}) {
    run_ranks(4, [&](Communicator& communicator) {
      EXPECT_THROW(Engine(communicator, {.group_size = group_size}), Error) << group_size;
    });
  }
  run_ranks(6,
            [](Communicator& communicator) { EXPECT_THROW(Engine(communicator, {.group_size = 2}), Error); });
}

TEST(Counts, AreRefusedWhereTheyDoNotAddUp) {
  const std::vector<std::vector<std::int64_t>> wrong = {
      {}, {4}, {6}, {2, 2}, {3, 3}, {6, -1}, {-1, 6}, {5, INT64_MAX}, {INT64_MAX, INT64_MAX, 7}};
  for (const auto& counts : wrong) {
    run_ranks(2, [&](Communicator& communicator) {
      std::vector<double> data(5);
      EXPECT_THROW(allreduce<double>(data, counts, communicator), Error);
    });
  }
}

TEST(Engine, IsGoodForManyCallsOfManySizes) {
  run_ranks(8, [](Communicator& communicator) {
    Engine engine(communicator, {.group_size = 2});
    for (const std::size_t size : {3, 1000, 0, 17, 1000}) {
      std::vector<float> data(size, 2);
      const std::vector<std::int64_t> counts = {static_cast<std::int64_t>(size)};
      allreduce<float>(data, counts, engine);
      EXPECT_EQ(data, std::vector<float>(size, 2)) << "equal vectors average";
    }
  });
}

TEST(Engine, TakesNoTensorsAtAll) {
  run_ranks(4, [](Communicator& communicator) {
    std::vector<float> data;
    allreduce<float>(data, {}, communicator);
  });
}

// Plans that run at the same time as other work.
class Requests : public testing::TestWithParam<int> {};

TEST_P(Requests, PlansGiveWhatTheyGiveAlone) {
  run_ranks(GetParam(), checks::active_plans);
}

TEST_P(Requests, DestroyedPlansLeaveNothingBehind) {
  run_ranks(GetParam(), checks::destroyed_plans);
}

TEST_P(Requests, BucketsGiveWhatOnePlanGives) {
  run_ranks(GetParam(), checks::buckets);
}

TEST_P(Requests, BucketsChangeNothingWhereOneIsNotFinite) {
  run_ranks(GetParam(), checks::buckets_not_finite);
}

INSTANTIATE_TEST_SUITE_P(OfThreads, Requests, testing::Values(1, 2, 3, 4, 8, 16),
                         testing::PrintToStringParamName());

TEST(RequestsOverNodes, BucketsGiveWhatOnePlanGives) {
  for (const int ranks_per_node : {1, 2, 4}) {
    run_ranks(8, checks::destroyed_plans, {.ranks_per_node = ranks_per_node});
    run_ranks(8, checks::buckets, {.ranks_per_node = ranks_per_node});
    run_ranks(8, checks::buckets_not_finite, {.ranks_per_node = ranks_per_node});
  }
}

TEST(BucketPlan, RefusesATensorThatIsReadyTwice) {
  run_ranks(2, [](Communicator& communicator) {
    std::vector<float> data(4, 1);
    Engine engine(communicator);
    BucketPlan<float> plan(engine, {std::span(data).first(2), std::span(data).last(2)}, 1);
    EXPECT_EQ(plan.buckets(), 2U);
    plan.ready(1);
    EXPECT_THROW(plan.ready(1), Error);
    EXPECT_EQ(plan.wait(), std::nullopt);
    plan.ready(1);
    EXPECT_EQ(plan.wait(), std::nullopt);
  });
}

TEST(BucketPlan, RefusesListsThatDiffer) {
  run_ranks(2, [](Communicator& communicator) {
    std::vector<float> data(4);
    Engine engine(communicator);
    const std::size_t bucket_bytes = communicator.rank() == 0 ? 1 : 100;
    EXPECT_THROW(BucketPlan<float>(engine, {std::span(data).first(2), std::span(data).last(2)}, bucket_bytes),
                 Error);
  });
}

}  // namespace
}  // namespace adasum
