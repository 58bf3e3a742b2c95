// SPDX-License-Identifier: Apache-2.0
#include "templates/marks.h"

#include <gtest/gtest.h>

#include "templates/template.h"

namespace adarun::templates {
namespace {

using Kind = Mark::Kind;
using Marks = std::vector<Mark>;

TEST(Marks, PartTextsFromPlacesAndLists) {
  EXPECT_EQ(marks_of("t", "a {{b}} {{c|word}}{{#d}}e{{/d}}"), (Marks{{Kind::text, "a ", "", 1},
                                                                     {Kind::place, "b", "", 1},
                                                                     {Kind::text, " ", "", 1},
                                                                     {Kind::place, "c", "word", 1},
                                                                     {Kind::list, "d", "", 1},
                                                                     {Kind::text, "e", "", 1},
                                                                     {Kind::end, "d", "", 1}}));
  EXPECT_EQ(marks_of("t", ""), Marks());
}

TEST(Marks, OfListsTakeTheirLineAwayWhereTheyAreAlone) {
  EXPECT_EQ(marks_of("t", "{{#a}}\nb\n{{/a}}\nc"), (Marks{{Kind::list, "a", "", 1},
                                                          {Kind::text, "b\n", "", 2},
                                                          {Kind::end, "a", "", 3},
                                                          {Kind::text, "c", "", 4}}));
  EXPECT_EQ(marks_of("t", "{{#a}} \n").back(), (Mark{Kind::text, " \n", "", 1}));
  EXPECT_EQ(marks_of("t", "{{a}}\n").back(), (Mark{Kind::text, "\n", "", 1})) << "a place leaves its line";
}

TEST(Marks, BeginWithTheLastTwoOfManyBraces) {
  EXPECT_EQ(marks_of("t", "${{{a}}}"),
            (Marks{{Kind::text, "${", "", 1}, {Kind::place, "a", "", 1}, {Kind::text, "}", "", 1}}));
}

TEST(Marks, AreRefusedWithTheirLine) {
  const std::string forms = ": wanted {{name}}, {{name|filter}}, {{#list}} or {{/list}}";
  const std::pair<const char*, std::string> cases[] = {
      {"a\n{{b", "t:2: {{ without }}"},        {"{{}}", "t:1: {{}}" + forms},
      {"\n\n{{a b}}", "t:3: {{a b}}" + forms}, {"{{A}}", "t:1: {{A}}" + forms},
      {"{{a|}}x{{|}}", "t:1: {{|}}" + forms},  {"{{#}}", "t:1: {{#}}" + forms},
      {"{{a|b c}}", "t:1: {{a|b c}}" + forms}};
  for (const auto& [text, said] : cases) {
    try {
      marks_of("t", text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), said);
    }
  }
}

}  // namespace
}  // namespace adarun::templates
