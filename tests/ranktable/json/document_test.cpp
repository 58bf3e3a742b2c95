// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/document.h"

#include <gtest/gtest.h>

#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

std::string compact(const std::string& text) {
  return to_json(Document(text).root());
}

TEST(Document, TakesWhatIsJson) {
  const struct {
    std::string text;
    const char* compact;
  } cases[] = {
      {"{}", "{}"},
      {" [ ] \r\n\t", "[]"},
      {"\xEF\xBB\xBFnull", "null"},
      {"[true, false, null]", "[true,false,null]"},
      {"[0, -0, 10, 1.50, -1e9, 1E+2, 2e-3, 1e999]", "[0,-0,10,1.50,-1e9,1E+2,2e-3,1e999]"},
      {R"({"a": {"b": [1, {"c": "d"}]}, "e": ""})", R"({"a":{"b":[1,{"c":"d"}]},"e":""})"},
      {R"("\"\\\/\b\f\n\r\t")", R"("\"\\/\b\f\n\r\t")"},
      {R"("\u0041\u00e9\u20AC\ud83d\ude00")", R"("A\u00e9\u20ac\ud83d\ude00")"},
      {"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"", R"("\u00e9\u20ac\ud83d\ude00\u007f")"},
      {R"({"\u0061": 1, "b": 2})", R"({"a":1,"b":2})"},
      {"\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"", R"("\ud7ff\ue000\udbff\udfff")"},
      {R"("a\u0000b")", R"("a\u0000b")"},
      {std::string(64, '[') + std::string(64, ']'), nullptr},
  };
  for (const auto& taken : cases)
    EXPECT_EQ(compact(taken.text), taken.compact == nullptr ? taken.text : taken.compact) << taken.text;
}

TEST(Document, RefusesWhatIsNotJsonWithLineAndColumn) {
  std::string many_keys = "{";
  for (int i = 0; i <= 1024; ++i) many_keys += "\"" + std::to_string(i) + "\":0,";
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {"", "line 1, column 1: the file is empty"},
      {" \n ", "line 2, column 2: found the end, wanted a value"},
      {"{", "line 1, column 2: found the end, wanted a key"},
      {"[1", "line 1, column 3: found the end, wanted \",\" or \"]\""},
      {"{\n  \"a\": 1,\n  \"a\": 2}", "line 3, column 3: key \"a\" comes twice in one object"},
      {"{\"a\": {\"b\": 1, \"\\u0062\": 2}}", "line 1, column 16: key \"b\" comes twice in one object"},
      {"{\"\\u0062\": 1, \"c\": [{\"b\": 1}], \"b\": 2}", "line 1, column 32: key \"b\" comes twice"},
      {"{}\n{}", "line 2, column 1: found \"{\", wanted the end"},
      {std::string("{}\0x", 4), "line 1, column 3: found a zero byte, wanted the end"},
      {std::string("\"\0\"", 3), "line 1, column 2: found a zero byte, wanted the end of the string"},
      {"\"a\nb\"", "line 1, column 3: found byte 0x0a, wanted the end of the string"},
      {"\"a", "line 1, column 3: found the end, wanted the end of the string"},
      {"{\"a\": \"\xff\"}", "line 1, column 8: found byte 0xff, wanted UTF-8"},
      {"\"\xc0\xaf\"", "line 1, column 2: found byte 0xc0, wanted UTF-8"},
      {"\"\xc3\"", "line 1, column 3: found \"\\\"\", wanted UTF-8"},
      {"\"\xed\xa0\x80\"", "line 1, column 3: found byte 0xa0, wanted UTF-8"},
      {"\"\xf4\x90\x80\x80\"", "line 1, column 3: found byte 0x90, wanted UTF-8"},
      {"\"\xe0\x80\x80\"", "line 1, column 3: found byte 0x80, wanted UTF-8"},
      {"\"\xf0\x9f\x98", "line 1, column 5: found the end, wanted UTF-8"},
      {R"("\x")", "line 1, column 3: found \"x\", wanted an escape"},
      {R"("\u12g4")", "line 1, column 6: found \"g\", wanted four hex digits"},
      {R"("\ud800")", "line 1, column 2: found half a surrogate pair"},
      {R"("\ud800\u0041")", "line 1, column 2: found half a surrogate pair"},
      {R"("\udc00")", "line 1, column 2: found half a surrogate pair"},
      {"{\"a\": 1,}", "line 1, column 9: found \"}\", wanted a key"},
      {"[1,]", "line 1, column 4: found \"]\", wanted a value"},
      {"{'a': 1}", "line 1, column 2: found \"'\", wanted a key"},
      {"{\"a\" 1}", "line 1, column 6: found \"1\", wanted \":\""},
      {"{\"a\": 01}", "line 1, column 8: found \"1\", wanted \",\" or \"}\""},
      {"[+1]", "line 1, column 2: found \"+\", wanted a value"},
      {"[1.]", "line 1, column 4: found \"]\", wanted a digit"},
      {"[1e+]", "line 1, column 5: found \"]\", wanted a digit"},
      {"[-]", "line 1, column 3: found \"]\", wanted a digit"},
      {"[tru]", "line 1, column 2: found \"t\", wanted a value"},
      {"{\"a\": NaN}", "line 1, column 7: found \"N\", wanted a value"},
      {"{\"a\": 1} // x", "line 1, column 10: found \"/\", wanted the end"},
      {"\n" + std::string(65, '['), "line 2, column 65: nested deeper than 64 levels"},
      {many_keys, "line 1, column 8114: more than 1024 keys in one object"},
      {"ipaddr:10.0.0.1", "line 1, column 1: found \"i\", wanted a value"},
  };
  for (const auto& wrong : cases) {
    const std::string message = error_of([&] { Document document(wrong.text); });
    EXPECT_EQ(message.rfind(wrong.message, 0), 0U) << message << "\nwanted " << wrong.message;
  }
}

TEST(Document, GivesItemsAndMembersInTheOrderOfTheText) {
  const std::string text = R"({"z": [1, [2, 3], {"y": 4}, "five"], "a": {}})";
  const Document document(text);
  const std::vector<JsonMember> members = document.root().members();
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].key, "z");
  EXPECT_EQ(members[1].key, "a");
  EXPECT_TRUE(members[1].value.is(JsonKind::object));
  const std::vector<JsonValue> items = members[0].value.items();
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(items[0].text(), "1");
  EXPECT_EQ(to_json(items[1]), "[2,3]");
  EXPECT_TRUE(items[3].is_text("five"));
}

TEST(Document, ShowsLongValuesCut) {
  const std::string text = "\"" + std::string(1000, 'x') + "\"";
  EXPECT_EQ(shown(Document(text).root()), "\"" + std::string(79, 'x') + "...");
}

}  // namespace
}  // namespace adarun::ranktable
