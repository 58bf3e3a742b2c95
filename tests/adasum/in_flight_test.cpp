// SPDX-License-Identifier: Apache-2.0
// Plans that are under way beside other work, with threads as ranks.
#include <gtest/gtest.h>

#include "adasum/bucket_plan.h"
#include "adasum/error.h"
#include "adasum/peers/thread_peers.h"
#include "in_flight_checks.h"

namespace adasum {
namespace {

class InFlight : public testing::TestWithParam<int> {};

TEST_P(InFlight, PlansGiveWhatTheyGiveAlone) {
  run_ranks(GetParam(), checks::plans_in_flight);
}

TEST_P(InFlight, PlansThatGoLeaveNothingBehind) {
  run_ranks(GetParam(), checks::plans_that_go);
}

TEST_P(InFlight, BucketsGiveWhatOnePlanGives) {
  run_ranks(GetParam(), checks::buckets);
}

TEST_P(InFlight, BucketsChangeNothingWhereOneIsNotFinite) {
  run_ranks(GetParam(), checks::buckets_not_finite);
}

INSTANTIATE_TEST_SUITE_P(OfThreads, InFlight, testing::Values(1, 2, 3, 4, 8, 16), testing::PrintToStringParamName());

TEST(InFlightOverNodes, BucketsGiveWhatOnePlanGives) {
  for (const int ranks_per_node : {1, 2, 4}) {
    run_ranks(8, checks::plans_that_go, {.ranks_per_node = ranks_per_node});
    run_ranks(8, checks::buckets, {.ranks_per_node = ranks_per_node});
    run_ranks(8, checks::buckets_not_finite, {.ranks_per_node = ranks_per_node});
  }
}

TEST(BucketPlan, RefusesATensorThatIsReadyTwice) {
  run_ranks(2, [](Peers& peers) {
    std::vector<float> data(4, 1);
    Engine engine(peers);
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
  run_ranks(2, [](Peers& peers) {
    std::vector<float> data(4);
    Engine engine(peers);
    const std::size_t bucket_bytes = peers.rank() == 0 ? 1 : 100;
    EXPECT_THROW(BucketPlan<float>(engine, {std::span(data).first(2), std::span(data).last(2)}, bucket_bytes), Error);
  });
}

}  // namespace
}  // namespace adasum
