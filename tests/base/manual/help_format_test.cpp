// SPDX-License-Identifier: Apache-2.0
#include "base/manual/help_format.h"

#include <gtest/gtest.h>

#include <memory>

namespace adarun::manual {
namespace {

TEST(Wrapped, BreaksAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(wrapped("one", 2, 0), "one");
  EXPECT_EQ(wrapped("a verylongword b", 5, 1), "a\n verylongword\n b");
  EXPECT_EQ(wrapped("", 5, 1), "");
}

TEST(HelpFormat, PutsDescriptionsBesideNamesWithinEightyColumns) {
  CLI::App app("What it is for.", "tool");
  app.formatter(std::make_shared<HelpFormat>());
  int number = 0;
  app.add_option("-n,--number", number, "A description that is so long that it continues in a second line")
      ->type_name("N");
  app.add_option("--a-name-that-leaves-no-room-beside-it", number, "Below")->type_name("N");
  CLI::Option* one = app.add_flag("--one");
  app.add_flag("--other")->excludes(one);
  app.footer("Examples:\n  tool -n 4\n\nExit status: 0 done,\n1 not.");
  EXPECT_EQ(app.help(),
            "What it is for.\n"
            "Usage: tool [OPTIONS]\n\n"
            "Options:\n"
            "  -h,--help                 Print this help message and exit\n"
            "  -n,--number N             A description that is so long that it continues in a\n"
            "                            second line\n"
            "  --a-name-that-leaves-no-room-beside-it N\n"
            "                            Below\n"
            "  --one\n  --other\n\n"
            "Examples:\n  tool -n 4\n\nExit status: 0 done, 1 not.\n");
}

}  // namespace
}  // namespace adarun::manual
