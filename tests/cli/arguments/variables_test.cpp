// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/variables.h"

#include <gtest/gtest.h>

#include "cli/arguments/command.h"
#include "tests/cli/refusals.h"

namespace adarun::cli {
namespace {

using Words = std::vector<std::string>;

std::string refusal(std::string_view text) {
  return exit_message([&text] { parse_variables(text, "f"); });
}

TEST(VariableNames, AreThoseThatAShellCanSet) {
  for (const char* name : {"A", "_", "a_1", "PATH", "__x9"}) EXPECT_TRUE(is_variable_name(name)) << name;
  for (const char* name :
       {"", "1A", "A B", "A-B", "A.B", "export B", " A", "A\n", "BASH_FUNC_x%%", "\xc3\xa4", "A\x1b"})
    EXPECT_FALSE(is_variable_name(name)) << name;
}

TEST(Variables, OfLinesAreReadAsTheyStand) {
  const struct {
    const char* line;
    Words wanted;
  } cases[] = {
      {"A=1", {"A=1"}},
      {"A=", {"A="}},
      {"A=b=c", {"A=b=c"}},
      {"  A=1", {"A=1"}},
      {"A= b c ", {"A= b c "}},
      {"A=1\r", {"A=1"}},
      {"# A=1", {}},
      {"  # A=1", {}},
      {"", {}},
      {"A=`x` $ $$ $1 b#c", {"A=`x` $ $$ $1 b#c"}},
      {"A = 1", {"A=1"}},
      {"A =  b c ", {"A=b c "}},
      {"A = \"b\"", {"A=b"}},
      {"A='b'  # what it is", {"A=b"}},
      {"A=\"b # c\" # d", {"A=b # c"}},
      {"A=\"b\"#c", {"A=\"b\"#c"}},
      {"B=/opt\nA=${B}/lib:$B", {"B=/opt", "A=/opt/lib:/opt"}},
      {"B=/opt\nA=\"${B}/lib\"", {"B=/opt", "A=/opt/lib"}},
      {"B=/opt\nA='${B}/lib'", {"B=/opt", "A=${B}/lib"}},
      {"A='b'$ \\$1", {"A='b'$ \\$1"}},
      {"B=1\nB=${B}2\nA=$B", {"B=1", "B=12", "A=12"}},
      {"export B=/opt\nexport A=$B/lib # path", {"B=/opt", "A=/opt/lib"}},
      {"export A=1 # one", {"A=1"}},
      {"A='b c'", {"A=b c"}},
      {"A=\"b c\"", {"A=b c"}},
      {"A=\"b \\\"c\\\" \\\\ \\$d \\n\"", {"A=b \"c\" \\ $d \\n"}},
      {"A='b' 'c'", {"A='b' 'c'"}},
      {"A='b", {"A='b"}},
      {"A=\"", {"A=\""}},
      {"A='\"b\"'", {"A=\"b\""}},
      {"export A=1", {"A=1"}},
      {"export  A='b $c'", {"A=b $c"}},
      {"export A=\"b c\"", {"A=b c"}},
      {"export A=", {"A="}},
      {"declare -x A=\"b \\$c\"", {"A=b $c"}},
      {"declare -x OLDPWD", {}},
      {"export_A=1", {"export_A=1"}},
  };
  for (const auto& each : cases)
    EXPECT_EQ(parse_variables(each.line, "f").assignments, each.wanted) << each.line;
}

TEST(Variables, OfLinesAreRefusedWithFileAndLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"A=1\nB\n",
       "f:2: wanted NAME=VALUE, found \"B\"; values of several lines come whole from env -0 > FILE"},
      {"=1", "f:1: \"\" is no name of a variable: wanted letters, digits and _, no digit first"},
      {"1A=3", "f:1: \"1A\" is no name of a variable: wanted letters, digits and _, no digit first"},
      {"A B=3", "f:1: \"A B\" is no name of a variable: wanted letters, digits and _, no digit first"},
      {"export",
       "f:1: wanted NAME=VALUE, found \"export\"; values of several lines come whole from env -0 > FILE"},
      {"export A",
       "f:1: wanted NAME=VALUE, found \"A\"; values of several lines come whole from env -0 > FILE"},
      {"A=${HOME}/x",
       "f:1: \"${HOME}\": expanded only where an earlier line sets the variable; write the value itself, or, "
       "to "
       "pass the text on, all of it in '...'"},
      {"A=1\n\nB=\"x$HOME\"",
       "f:3: \"$HOME\": expanded only where an earlier line sets the variable; write the value itself, or, "
       "to "
       "pass the text on, all of it in '...'"},
      {"B=1\nA=${B:-2}",
       "f:2: \"${B\": expanded only where an earlier line sets the variable; write the value itself, or, to "
       "pass "
       "the text on, all of it in '...'"},
      {"A=b # c", "f:1: is \"# c\" a comment? wanted it in a line of its own, or all of the value in '...'"},
      {"A=$(date)",
       "f:1: $(...) is not expanded here; write the value itself, or, to pass the text on, in '...'"},
      {"export A=$(x)",
       "f:1: behind export, wanted a word without blanks and signs of a shell, or all of it in '...'"},
      {"export A=$B",
       "f:1: \"$B\": expanded only where an earlier line sets the variable; write the value itself, or, to "
       "pass "
       "the text on, all of it in '...'"},
      {"export A=1 B=2",
       "f:1: behind export, wanted a word without blanks and signs of a shell, or all of it in '...'"},
      {"export A=\"`b`\"", "f:1: ` is not expanded here; write the value itself, in '...'"},
      {"R=/r\nA=\"$R\"/lib",
       "f:2: \"$R\\\"/lib\": is it expanded? readers of such files disagree; wanted quotes around all of the "
       "value, '...' to pass it on as it is"},
      {"R=/r\nA='$R'/lib",
       "f:2: \"$R'/lib\": is it expanded? readers of such files disagree; wanted quotes around all of the "
       "value, '...' to pass it on as it is"},
      {"R=/r\nA=\\$R",
       "f:2: \"\\\\$R\": is it expanded? readers of such files disagree; wanted quotes around all of the "
       "value, '...' to pass it on as it is"},
      {"R=/r\nA=$$R",
       "f:2: \"$$R\": is it expanded? readers of such files disagree; wanted quotes around all of the "
       "value, '...' to pass it on as it is"},
      {"R=/r\nA=\"$${R}\"",
       "f:2: \"$${R}\\\"\": is it expanded? readers of such files disagree; wanted quotes around all of the "
       "value, '...' to pass it on as it is"},
      {"BASH_FUNC_x%%=() {  echo\n}\n",
       "f:1: a function of bash, which has several lines: leave it out, or write the file by env -0"},
  };
  for (const auto& [text, said] : cases) EXPECT_EQ(refusal(text), said);
}

TEST(Variables, DoNotGrowWithoutABound) {
  std::string text = "A=" + std::string(1000, 'x');
  for (int i = 0; i < 40; ++i) text += "\nA=$A$A";
  EXPECT_EQ(refusal(text), "f:14: expanded variables of more than 8 MiB in this file");
}

TEST(Variables, OfEntriesHaveAnyValueAndNoFunctions) {
  using namespace std::string_view_literals;
  const Variables read = parse_variables("A=1\n2\0BASH_FUNC_ml%%=() {  echo\n}\0\0B='x'\0C="sv, "f");
  EXPECT_EQ(read, (Variables{{"A=1\n2", "B='x'", "C="}, {"BASH_FUNC_ml%%"}}));
  EXPECT_EQ(
      refusal("A=1\0export B=2\0"sv),
      "f: entry 2: \"export B\" is no name of a variable: wanted letters, digits and _, no digit first");
  EXPECT_EQ(refusal("A=1\0B\0"sv), "f: entry 2: wanted NAME=VALUE, found \"B\"");
}

}  // namespace
}  // namespace adarun::cli
