// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/order.h"

#include <gtest/gtest.h>

#include <utility>

namespace adarun::ranktable {
namespace {

TEST(NumericOrder, ComparesAddressesAndRunsOfDigitsByValue) {
  const std::pair<const char*, const char*> ascending[] = {
      {"10.0.0.2", "10.0.0.10"}, {"node2", "node10"}, {"node", "node1"},
      {"a9b", "a10a"},           {"n01", "n1"},       {"n1", "n02"},
      {"fe80::2", "fe80::10"},   {"9", "n1"},         {"fe80::1", "1node"}};
  for (const auto& [left, right] : ascending) {
    EXPECT_TRUE(numeric_less(left, right)) << left << ' ' << right;
    EXPECT_FALSE(numeric_less(right, left)) << left << ' ' << right;
  }
  EXPECT_FALSE(numeric_less("node1", "node1"));
}

}  // namespace
}  // namespace adarun::ranktable
