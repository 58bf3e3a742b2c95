// SPDX-License-Identifier: Apache-2.0
#include "adasum/finite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "adasum/communicators/thread_communicator.h"

namespace adasum {
namespace {

template <typename T>
class Finite : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Finite, Types);

/// The answer in a world of `size` where `ranks` have `value` as element `at` of 37.
template <typename T>
std::optional<int> answer(int size, const std::vector<int>& ranks, T value, std::size_t at) {
  std::vector<std::optional<int>> answers(static_cast<std::size_t>(size));
  run_ranks(size, [&](Communicator& communicator) {
    std::vector<T> data(37, T{1});
    if (std::ranges::count(ranks, communicator.rank()) > 0) data[at] = value;
    answers[static_cast<std::size_t>(communicator.rank())] = first_not_finite<T>(data, communicator);
  });
  for (const auto& other : answers) EXPECT_EQ(other, answers.front()) << "ranks disagree";
  return answers.front();
}

TYPED_TEST(Finite, NamesTheLowestRankThatHoldsNanOrInfinity) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam value :
       {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{18}, std::size_t{36}}) {
      EXPECT_EQ(answer(1, {0}, value, at), 0);
      EXPECT_EQ(answer(3, {2}, value, at), 2);
      EXPECT_EQ(answer(16, {9, 5, 15}, value, at), 5);
    }
  }
}

TYPED_TEST(Finite, NamesNobodyWhereAllIsFinite) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam value : {Limits::max(), Limits::lowest(), Limits::denorm_min(), TypeParam{0}}) {
    EXPECT_EQ(answer(4, {0, 1, 2, 3}, value, 20), std::nullopt) << value;
  }
}

TYPED_TEST(Finite, TakesNoDataAtAll) {
  run_ranks(2, [](Communicator& communicator) {
    EXPECT_EQ(first_not_finite<TypeParam>({}, communicator), std::nullopt);
  });
}

}  // namespace
}  // namespace adasum
