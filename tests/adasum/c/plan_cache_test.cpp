// SPDX-License-Identifier: Apache-2.0
#include "adasum/c/plan_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
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

/// The plans of lists from `first` to before `end`, in turn.
std::vector<const void*> plans_of(std::size_t first, std::size_t end, const auto& plan_of) {
  std::vector<const void*> plans;
  for (std::size_t list = first; list < end; ++list) plans.push_back(plan_of(list));
  return plans;
}

std::ptrdiff_t in_both(const std::vector<const void*>& some, const std::vector<const void*>& others) {
  return std::inner_product(some.begin(), some.end(), others.begin(), std::ptrdiff_t{0}, std::plus(),
                            std::equal_to());
}

TEST(PlanCache, KeepsMostPlansOfListsThatAreTooManyInTheirTurn) {
  with_two_ranks(40, [](int /*rank*/, const auto& plan_of) {
    const auto first = plans_of(0, 40, plan_of);
    EXPECT_GE(in_both(plans_of(0, 40, plan_of), first), 31);
    EXPECT_GE(in_both(plans_of(0, 40, plan_of), first), 31);
  });
}

TEST(PlanCache, DropsPlansThatWereNotUsedForLong) {
  with_two_ranks(64, [](int /*rank*/, const auto& plan_of) {
    plans_of(0, 32, plan_of);
    for (int turn = 0; turn < 16; ++turn) plans_of(32, 64, plan_of);
    const auto last = plans_of(32, 64, plan_of);
    EXPECT_EQ(in_both(plans_of(32, 64, plan_of), last), 32);
  });
}

}  // namespace
}  // namespace adasum::c
