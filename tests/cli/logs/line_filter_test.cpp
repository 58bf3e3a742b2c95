// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/line_filter.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace adarun::cli {
namespace {

TEST(LineFilter, TakesLinesThatHoldThePatternSomewhere) {
  const struct {
    const char* pattern;
    const char* line;
    bool taken;
  } cases[] = {
      {"NaN", "loss NaN at 3\n", true},
      {"NaN", "loss nan at 3\n", false},
      {"NaN|inf", "loss inf\n", true},
      {"^loss", "a loss\n", false},
      {"[0-9]{3}", "step 12\n", false},
      {"[0-9]{3}", "step 123\n", true},
      {"", "\n", true},
      {"a.c", "abc", true},
      {"a\\.c", "abc", false},
  };
  for (const auto& each : cases)
    EXPECT_EQ(LineFilter(each.pattern).takes(each.line), each.taken) << each.pattern << " in " << each.line;
}

TEST(LineFilter, DoesNotSeeTheEndOfTheLine) {
  EXPECT_TRUE(LineFilter("done$").takes("done\n"));
  EXPECT_TRUE(LineFilter("done$").takes("done\r\n"));
  EXPECT_FALSE(LineFilter("\n").takes("done\n")) << "plain text";
}

TEST(LineFilter, LooksAtTheLineAlone) {
  const std::string text = "one\ntwo\n";
  EXPECT_FALSE(LineFilter("t(w)o").takes(std::string_view(text).substr(0, 4)));
}

TEST(LineFilter, SaysWhatIsWrongWithAPattern) {
  for (const std::string pattern : {"a(b", "[a", "*("}) try {
      LineFilter{pattern};
      ADD_FAILURE() << pattern;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).rfind("\"" + pattern + "\": no regular expression: ", 0), 0U)
          << error.what();
    }
}

}  // namespace
}  // namespace adarun::cli
