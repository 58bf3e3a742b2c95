// SPDX-License-Identifier: Apache-2.0
#include "adasum/c/plan_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "adasum/engine.h"

namespace adasum::c {
namespace {

using Lists = std::vector<std::array<float, 2>>;

/// Two ranks, each with `count` lists of one tensor.
template <typename Body>
void with_two_ranks(std::size_t count, const Body& body) {
  run_ranks(2, [&](Communicator& world) {
    Engine engine(world);
    Lists lists(count);
    PlanCache<float> plans;
    body(world.rank(), [&](std::size_t list) { return &plans.plan_for(engine, {std::span(lists[list])}); });
  });
}

TEST(PlanCache, KeepsOnePlanForEachOfSeveralLists) {
  with_two_ranks(2, [](int /*rank*/, const auto& plan_of) {
    const auto* const first = plan_of(0);
    const auto* const second = plan_of(1);
    EXPECT_NE(first, second);
    EXPECT_EQ(plan_of(0), first);
    EXPECT_EQ(plan_of(1), second);
  });
}

TEST(PlanCache, MakesAPlanWhereOneRankHasAnotherList) {
  with_two_ranks(3, [](int rank, const auto& plan_of) {
    const auto* const first = plan_of(0);
    const auto* const second = plan_of(1);
    const auto* const mixed = plan_of(rank);  // Both are known, but not as one plan.
    EXPECT_NE(mixed, first);
    EXPECT_NE(mixed, second);
    EXPECT_EQ(plan_of(rank), mixed);
    const auto* const half_new = plan_of(rank == 0 ? 0 : 2);
    EXPECT_NE(half_new, mixed);
    EXPECT_EQ(plan_of(rank == 0 ? 0 : 2), half_new);
  });
}

TEST(PlanCache, KeepsThoseThatWereUsedLast) {
  with_two_ranks(33, [](int /*rank*/, const auto& plan_of) {
    std::vector<const void*> made;
    for (std::size_t list = 0; list < 32; ++list) made.push_back(plan_of(list));
    EXPECT_EQ(plan_of(0), made[0]);
    plan_of(32);
    EXPECT_EQ(plan_of(0), made[0]);
    EXPECT_EQ(plan_of(2), made[2]);
  });
}

}  // namespace
}  // namespace adasum::c
