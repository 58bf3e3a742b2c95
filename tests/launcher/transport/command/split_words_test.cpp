// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/split_words.h"

#include <gtest/gtest.h>

#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

using Words = std::vector<std::string>;

TEST(SplitWords, FollowsTheQuotesOfAShell) {
  const struct {
    const char* line;
    Words words;
  } cases[] = {
      {"", {}},
      {" \t\r\n ", {}},
      {"ip netns exec {host}", {"ip", "netns", "exec", "{host}"}},
      {"  a \t b\n", {"a", "b"}},
      {"'a b' \"c d\"", {"a b", "c d"}},
      {"a'b c'd\"e f\"g", {"ab cde fg"}},
      {"'' \"\" x", {"", "", "x"}},
      {R"('a\b' "a\b" a\b)", {R"(a\b)", R"(a\b)", "ab"}},
      {R"("say \"\\\"" \" \' a\ b)", {R"(say "\")", "\"", "'", "a b"}},
      {R"('it'\''s')", {"it's"}},
      {"'\"' \"'\"", {"\"", "'"}},
  };
  for (const auto& each : cases) EXPECT_EQ(split_words(each.line), each.words) << each.line;
}

TEST(SplitWords, KnowsNothingElseOfAShell) {
  const char* line = "$HOME ${HOME} `id` $(id) a|b a;b a&&b >x <y * ~ ? #c !d";
  EXPECT_EQ(split_words(line), (Words{"$HOME", "${HOME}", "`id`", "$(id)", "a|b", "a;b", "a&&b", ">x", "<y",
                                      "*", "~", "?", "#c", "!d"}));
}

TEST(SplitWords, RefusesWhatDoesNotEnd) {
  const std::pair<const char*, const char*> cases[] = {
      {"a 'b", "a ' is not closed"},
      {"a \"b", "a \" is not closed"},
      {R"("b\")", "a \" is not closed"},
      {"a\\", "nothing follows its last backslash"},
  };
  for (const auto& [line, said] : cases) try {
      split_words(line);
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), said) << line;
    }
}

}  // namespace
}  // namespace adarun::launcher
