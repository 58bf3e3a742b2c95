// SPDX-License-Identifier: Apache-2.0
#include "templates/template.h"

#include <gtest/gtest.h>

namespace adarun::templates {
namespace {

const Filters filters{{"loud", [](const std::string& text) { return text + "!"; }}};

const Values values{{{"name", "job"}, {"rank", "none"}},
                    {{"nodes",
                      {{{{"host", "n1"}}, {{"ranks", {{{{"rank", "0"}}, {}}, {{{"rank", "1"}}, {}}}}}},
                       {{{"host", "n2"}}, {{"ranks", {}}}}}},
                     {"empty", {}}}};

std::string filled(const std::string& text) {
  return Template("t", text).render(values, filters);
}

TEST(Template, IsFilledIn) {
  const struct {
    const char* text;
    const char* result;
  } cases[] = {
      {"", ""},
      {"no marks\n", "no marks\n"},
      {"{{name}} {{name|loud}}", "job job!"},
      {"{{#nodes}}\n{{host}} of {{name}}\n{{/nodes}}\nend\n", "n1 of job\nn2 of job\nend\n"},
      {"[{{#nodes}}<{{host}}{{#ranks}} {{rank}}{{/ranks}}>{{/nodes}}]", "[<n1 0 1><n2>]"},
      {"{{#nodes}}{{rank}} {{/nodes}}", "none none "},
      {"{{#empty}}{{unknown}}{{/empty}}", ""},
      {"  {{#nodes}}\n{{/nodes}}", "  \n\n"},
      {"{{#nodes}}\n{{/nodes}}", ""},
      {"${{{name}}+x} {{{name}}}", "${job+x} {job}"},
      {"a } }} b {c}", "a } }} b {c}"},
  };
  for (const auto& each : cases) EXPECT_EQ(filled(each.text), each.result) << each.text;
}

TEST(Template, IsRefusedNamingTheLine) {
  const struct {
    const char* text;
    const char* why;
  } cases[] = {
      {"\n{{name", "t:2: {{ without }}"},
      {"{{}}", "t:1: {{}}: wanted {{name}}, {{name|filter}}, {{#list}} or {{/list}}"},
      {"{{Name}}", "t:1: {{Name}}: wanted {{name}}"},
      {"{{name|}}x{{na me}}", "t:1: {{na me}}: wanted"},
      {"a\n\n{{#nodes}}\n", "t:3: {{#nodes}}: is not closed"},
      {"{{#nodes}}\n{{/ranks}}", "t:2: {{/ranks}}: no such list is open here"},
      {"{{/nodes}}", "t:1: {{/nodes}}: no such list is open here"},
      {"\n{{host}}", "t:2: {{host}}: there is no such text"},
      {"{{#ranks}}{{/ranks}}", "t:1: {{#ranks}}: there is no such list"},
      {"{{#nodes}}\n{{name|soft}}\n{{/nodes}}", "t:2: |soft: there is no such filter"},
  };
  for (const auto& each : cases) {
    try {
      filled(each.text);
      ADD_FAILURE() << each.text << ": was taken";
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(each.why)) << error.what();
    }
  }
}

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

TEST(BuiltIn, TemplatesAreWellFormed) {
  for (const char* name : {"hostfile", "job.yaml", "msrun.sh", "rankfile", "run_node.sh", "sbatch.sh"}) {
    EXPECT_FALSE(built_in(name).empty()) << name;
    EXPECT_NO_THROW(Template(name, built_in(name))) << name;
  }
}

}  // namespace

}  // namespace adarun::templates
