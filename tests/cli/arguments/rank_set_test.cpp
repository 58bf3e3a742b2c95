// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "cli/arguments/rank_set.h"

namespace adarun::cli {
namespace {

TEST(RankSet, ReadsRanksAndRangesAndShowsThemAgain) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"}, {"3,0", "0,3"}, {"0-3", "0-3"}, {"8-15,0,1,3", "0-1,3,8-15"}, {"2-2,4", "2,4"}};
  for (const auto& [text, shown] : cases) EXPECT_EQ(shown_ranks(parse_ranks(text)), shown) << text;
}

TEST(RankSet, RefusesWhatIsNone) {
  for (const char* text : {"", ",", "a", "1-", "-1", "3-1", "1,,2", "1.5", "99999999999", "0-4000000000"})
    EXPECT_THROW(parse_ranks(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace adarun::cli
