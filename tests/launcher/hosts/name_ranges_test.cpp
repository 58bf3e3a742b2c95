// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "launcher/hosts/name_ranges.h"

namespace adarun::launcher {
namespace {

std::vector<std::string> expanded(const std::string& list) {
  std::vector<std::string> names;
  for (const std::string_view item : split_items(list))
    for (const std::string& name : expand_names(item, "test")) names.push_back(name);
  return names;
}

TEST(FoldNames, PutsNumbersIntoBrackets) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{}, ""},
      {{"a"}, "a"},
      {{"node7"}, "node7"},
      {{"node1", "node2", "node3", "gpu9"}, "node[1-3],gpu9"},
      {{"n10", "n8", "n9", "n12"}, "n[8-10,12]"},
      {{"n08", "n09", "n10"}, "n[08-10]"},
      {{"10.0.0.1", "10.0.0.2", "fe80::1"}, "10.0.0.1,10.0.0.2,fe80::1"},
      {{"b", "a1", "c", "a2"}, "b,a[1-2],c"},
      {{"7", "8"}, "7,8"},
      {{"r1c2", "r1c1"}, "r1c[1-2]"},
  };
  for (const auto& [names, folded] : cases) EXPECT_EQ(fold_names(names), folded);
}

TEST(FoldNames, IsTheOtherWayRoundOfExpanding) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> names;
    for (unsigned i = random() % 20; i > 0; --i) {
      const std::string name = std::string(1, static_cast<char>('a' + random() % 2)) +
                               (random() % 2 ? "0" : "") + std::to_string(random() % 12);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (names.empty()) continue;
    std::vector<std::string> again = expanded(fold_names(names));
    std::sort(names.begin(), names.end());
    std::sort(again.begin(), again.end());
    EXPECT_EQ(again, names) << fold_names(names);
  }
}

}  // namespace
}  // namespace adarun::launcher
