// SPDX-License-Identifier: Apache-2.0
#include "base/shell_word.h"

#include <gtest/gtest.h>

namespace adarun::base {
namespace {

TEST(ShellWord, IsAlwaysInQuotes) {
  EXPECT_EQ(shell_word("abc"), "'abc'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b$c`\\\"\n"), "'a b$c`\\\"\n'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(ShellWords, AreEachInQuotes) {
  EXPECT_EQ(shell_words({"echo", "it's", ""}), "'echo' 'it'\\''s' ''");
  EXPECT_EQ(shell_words({}), "");
}

TEST(ReadableWord, IsInQuotesWhereAShellWouldTakeItApart) {
  for (const char* text : {"abc", "A-Z_0.9", "/a/b:c,d@e%f+g=h"}) EXPECT_EQ(readable_word(text), text);
  for (const char* text : {"", "a b", "$a", "*", "~", "a;b", "ä", "a\n", "#"})
    EXPECT_EQ(readable_word(text), shell_word(text)) << text;
}

TEST(OneLineWord, EscapesControlCharactersAlone) {
  for (const char* text : {"abc", "a b", "it's", "back\\slash", "", "\303\244"})
    EXPECT_EQ(one_line_word(text), readable_word(text));
  EXPECT_EQ(one_line_word("two\nlines"), "$'two\\012lines'");
  EXPECT_EQ(one_line_word("it's\ta \\7\r\x1B\x7F"), "$'it\\'s\\011a \\\\7\\015\\033\\177'");
}

}  // namespace
}  // namespace adarun::base
