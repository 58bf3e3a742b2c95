// SPDX-License-Identifier: Apache-2.0
#include "base/nearest_word.h"

#include <gtest/gtest.h>

namespace adarun::base {
namespace {

TEST(NearestWord, IsTheOneThatWasMeant) {
  const std::vector<std::string> words{"launch", "logs", "monitor", "ranktable", "--host-key", "--hosts"};
  const struct {
    const char* typed;
    const char* meant;
  } cases[] = {
      {"lauch", "launch"},
      {"lanuch", "launch"},
      {"launch", "launch"},
      {"lunch", "launch"},
      {"rank_table", "ranktable"},
      {"--hots", "--hosts"},
      {"--hosst", "--hosts"},
      {"mon", "monitor"},
      {"train", ""},
      {"x", ""},
      {"", ""},
      {"--nodes", ""},
  };
  for (const auto& each : cases) EXPECT_EQ(nearest_word(each.typed, words), each.meant) << each.typed;
}

TEST(NearestWord, PrefersWhatBeginsWithIt) {
  EXPECT_EQ(nearest_word("--log", {"--logs-of", "--lag"}), "--logs-of");
  EXPECT_EQ(nearest_word("--host", {"--hosts", "--host-key"}), "--hosts");
}

}  // namespace
}  // namespace adarun::base
