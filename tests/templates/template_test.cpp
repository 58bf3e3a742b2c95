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
      {"a {{name}} {{name|loud}}{{#nodes}}e{{/nodes}}", "a job job!ee"},
      {"{{#nodes}}\nb\n{{/nodes}}\nc", "b\nb\nc"},
      {"{{#nodes}} \n{{/nodes}}", " \n \n"},
      {"{{name}}\n", "job\n"},
      {"${{{name}}}", "${job}"},
  };
  for (const auto& each : cases) EXPECT_EQ(filled(each.text), each.result) << each.text;
}

TEST(Template, IsRefusedNamingTheLine) {
  const std::string forms = ": wanted {{name}}, {{name|filter}}, {{#list}} or {{/list}}";
  const std::pair<const char*, std::string> cases[] = {
      {"\n{{name", "t:2: {{ without }}"},
      {"a\n{{b", "t:2: {{ without }}"},
      {"{{}}", "t:1: {{}}" + forms},
      {"{{Name}}", "t:1: {{Name}}" + forms},
      {"{{name|}}x{{na me}}", "t:1: {{na me}}" + forms},
      {"\n\n{{a b}}", "t:3: {{a b}}" + forms},
      {"{{A}}", "t:1: {{A}}" + forms},
      {"{{a|}}x{{|}}", "t:1: {{|}}" + forms},
      {"{{#}}", "t:1: {{#}}" + forms},
      {"{{a|b c}}", "t:1: {{a|b c}}" + forms},
      {"a\n\n{{#nodes}}\n", "t:3: {{#nodes}}: is not closed"},
      {"{{#nodes}}\n{{/ranks}}", "t:2: {{/ranks}}: no such list is open here"},
      {"{{/nodes}}", "t:1: {{/nodes}}: no such list is open here"},
      {"\n{{host}}", "t:2: {{host}}: there is no such text"},
      {"{{#nodes}}\nb\n{{/nodes}}\n{{host}}", "t:4: {{host}}: there is no such text"},
      {"{{#nodes}}\nb\n{{/ranks}}\nc", "t:3: {{/ranks}}: no such list is open here"},
      {"{{#ranks}}{{/ranks}}", "t:1: {{#ranks}}: there is no such list"},
      {"{{#nodes}}\n{{name|soft}}\n{{/nodes}}", "t:2: |soft: there is no such filter"},
  };
  for (const auto& [text, why] : cases) {
    try {
      filled(text);
      ADD_FAILURE() << text << ": was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), why);
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
