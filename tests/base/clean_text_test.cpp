// SPDX-License-Identifier: Apache-2.0
#include "base/clean_text.h"

#include <gtest/gtest.h>

namespace adarun::base {
namespace {

TEST(CleanText, LeavesPlainTextAsItIs) {
  for (const char* text : {"", "epoch: 1 step: 2, loss is 0.5", "a\tb",
                           "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "<script>alert(1)</script>"})
    EXPECT_EQ(clean_text(text), text);
}

TEST(CleanText, LeavesEscapeSequencesOut) {
  EXPECT_EQ(clean_text("\x1b[1;31mred\x1b[0m"), "red");
  EXPECT_EQ(clean_text("\x1b]0;title\x07text\x1b]8;;http://x\x1b\\link"), "textlink");
  EXPECT_EQ(clean_text("\x1b"
                       "ctext"),
            "text");
  EXPECT_EQ(clean_text("\x1b[31"), "\xe2\x90\x9b[31");
  EXPECT_EQ(clean_text("\x1b"), "\xe2\x90\x9b");
}

TEST(CleanText, DrawsControlCharacters) {
  EXPECT_EQ(clean_text(std::string_view("a\0b\r\x7f", 5)),
            "a\xe2\x90\x80"
            "b\xe2\x90\x8d\xe2\x90\xa1");
}

TEST(CleanText, ReplacesWhatIsNoText) {
  const std::string none = "\xef\xbf\xbd";
  EXPECT_EQ(clean_text("\xff"), none);
  EXPECT_EQ(clean_text("\xc3"), none);
  EXPECT_EQ(clean_text("\xc0\xaf"), none + none);
  EXPECT_EQ(clean_text("\xed\xa0\x80"), none + none + none);
  EXPECT_EQ(clean_text("\xf4\x90\x80\x80"), none + none + none + none);
  EXPECT_EQ(clean_text("\xe2\x80\xae"
                       "abc"),
            none + "abc");
  EXPECT_EQ(clean_text("a\xe2\x80\xa8z"), "a" + none + "z");  // line separator
  EXPECT_EQ(clean_text("\xc2\x9b"
                       "31m"),
            none + "31m");
}

TEST(CleanLine, IsBoundedAndCutsNoCharacterInTwo) {
  EXPECT_EQ(clean_line("12345678", 8), "12345678");
  EXPECT_EQ(clean_line("123456789", 8), "12345...");
  EXPECT_EQ(clean_line("1234\xc3\xa4zzzz", 8), "1234...");
  EXPECT_EQ(clean_line("abcd", 3), "...");
}

TEST(CleanLine, FitsALineOfATerminal) {
  EXPECT_EQ(clean_line("a\tb\x1b[31mc\n"), "a bc");
  EXPECT_EQ(clean_line("one\ntwo\r\nthree\tfour\r\n"), "one two  three four");
  EXPECT_EQ(clean_lines("one\n two\x07\n"), "one\n two\xe2\x90\x87\n");
}

TEST(EscapeControls, LeavesJsonItsMeaning) {
  EXPECT_EQ(escape_controls("{\"a\": \"Gr\xc3\xbc\xc3\x9f"
                            "e \\u001b\\n\"}"),
            "{\"a\": \"Gr\xc3\xbc\xc3\x9f"
            "e \\u001b\\n\"}");
  EXPECT_EQ(escape_controls("\x7f\xc2\x9b\xe2\x80\xa8\xe2\x80\xae\xef\xbb\xbf"),
            "\\u007f\\u009b\\u2028\\u202e\\ufeff");
}

using namespace std::string_view_literals;

TEST(Utf8, ReadsTheFirstCodePoint) {
  const struct {
    std::string_view text;
    char32_t value;
    std::size_t size;
  } cases[] = {{"a"sv, U'a', 1},
               {"\0x"sv, 0, 1},
               {"\xc2\x80"sv, 0x80, 2},
               {"\xc3\xa4xyz"sv, 0xE4, 2},
               {"\xe2\x82\xac"sv, 0x20AC, 3},
               {"\xef\xbf\xbf"sv, 0xFFFF, 3},
               {"\xf0\x9f\x98\x80"sv, 0x1F600, 4},
               {"\xf4\x8f\xbf\xbf"sv, 0x10FFFF, 4}};
  for (const auto& each : cases) {
    const CodePoint point = first_code_point(each.text);
    EXPECT_TRUE(point.valid) << each.text;
    EXPECT_EQ(point.value, each.value);
    EXPECT_EQ(point.size_bytes, each.size);
  }
}

TEST(Utf8, TakesOfMalformedBytesThoseBeforeTheFirstWrongOne) {
  const struct {
    const char* what;
    std::string_view text;
    std::size_t size;
  } cases[] = {{"a continuation alone", "\x80", 0},
               {"overlong in two bytes", "\xc0\xaf", 0},
               {"overlong in three", "\xe0\x80\xaf", 1},
               {"overlong in four", "\xf0\x80\x80\xaf", 1},
               {"a surrogate", "\xed\xa0\x80", 1},
               {"above U+10FFFF", "\xf4\x90\x80\x80", 1},
               {"no first byte", "\xff", 0},
               {"cut in the middle", "\xe2\x82", 2},
               {"ended by a letter", "\xe2\x82x", 2}};
  for (const auto& each : cases) {
    const CodePoint point = first_code_point(each.text);
    EXPECT_FALSE(point.valid) << each.what;
    EXPECT_EQ(point.size_bytes, each.size) << each.what;
  }
}

}  // namespace

}  // namespace adarun::base
