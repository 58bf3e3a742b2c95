// SPDX-License-Identifier: Apache-2.0
// Plans that run at the same time as other work, with threads as ranks.
#include <gtest/gtest.h>

#include "adasum/bucket_plan.h"
#include "adasum/communicators/thread_communicator.h"
#include "adasum/types/error.h"
#include "tests/adasum/request_checks.h"

namespace adasum {
namespace {

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
