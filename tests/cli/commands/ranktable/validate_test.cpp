// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>

#include "tests/cli/commands/ranktable/ranktable_command.h"
#include "tests/ranktable/schema_texts.h"

namespace adarun::ranktable {
namespace {

class ValidateCommand : public RanktableCommand {
 protected:
  ValidateCommand() {
    write_file("good.json", two_cards);
    write_file("bad.json", edited("10.10.100.11", "-.-.-.-"));
  }
};

TEST_F(ValidateCommand, AnswersByItsStatus) {
  const Outcome good = run({"validate", "good.json"});
  EXPECT_EQ(good.status, 0);
  EXPECT_EQ(good.out, "good.json: valid, 1 server, 2 devices\n");
  const Outcome bad = run({"validate", "bad.json"});
  EXPECT_EQ(bad.status, 1);
  EXPECT_EQ(
      bad.out,
      "bad.json: not valid, 1 error, 0 warnings\n"
      "  error: $.server_list[0].device[1].device_ip: device_ip must be an address, not a placeholder, found "
      "\"-.-.-.-\" [EI0014]\n"
      "    to mend: give the card an address (hccn_tool -i DEVICE_ID -ip -s ...), then make the table "
      "anew\n");
  EXPECT_EQ(run({"validate", "-q", "good.json"}).out, "");
}

TEST_F(ValidateCommand, ChecksTheOtherFilesWhereOneCannotBeRead) {
  const Outcome mixed = run({"validate", "none.json", "good.json", ".", "bad.json"});
  EXPECT_EQ(mixed.status, 3);
  EXPECT_EQ(mixed.err,
            "adarun: none.json: No such file or directory\nadarun: .: is a directory, wanted a file\n");
  EXPECT_TRUE(has(mixed.out, "good.json: valid")) << mixed.out;
  EXPECT_TRUE(has(mixed.out, "bad.json: not valid")) << mixed.out;
  EXPECT_TRUE(has(mixed.out, "4 files: 1 valid, 1 not valid, 2 not read\n")) << mixed.out;
  EXPECT_EQ(
      run({"validate", "good.json", "good.json"}).out,
      "good.json: valid, 1 server, 2 devices\ngood.json: valid, 1 server, 2 devices\n2 files: 2 valid\n");
}

TEST_F(ValidateCommand, NeedsHostsToReachAny) {
  for (const Words& words :
       {Words{"--via", "local"}, Words{"--tool-timeout", "9s"}, Words{"--exclude", "n1"}}) {
    expect_wrong_usage({"validate", "good.json", words[0], words[1]}, words[0] + " requires --hosts");
  }
}

TEST_F(ValidateCommand, PutsErrorsFirstAndFoldsManyOfOneRule) {
  run({"gen", "--plain", "--hosts", "n[1-600]:8", "-o", "many.json"});
  std::string text = read_text("many.json");
  for (std::size_t at = 0; (at = text.find("\"device_ip\": \"\"", at)) != std::string::npos;)
    text.replace(at, 15, "\"device_ip\": \"x\"");
  write_file("many.json", text.replace(text.find("completed"), 9, "initializing"));
  const Outcome folded = run({"validate", "many.json"});
  EXPECT_EQ(folded.status, 1);
  EXPECT_TRUE(has(folded.out, "many.json: not valid, 4,800 errors, 1 warning\n  error: ")) << folded.out;
  EXPECT_TRUE(has(folded.out,
                  "device[2].device_ip: device_ip must be an IPv4 or IPv6 address, found \"x\" "
                  "[EI0014]\n    and 4,797 more like it\n    to mend: "))
      << folded.out;
  EXPECT_EQ(std::count(folded.out.begin(), folded.out.end(), '\n'), 8) << folded.out;
  EXPECT_TRUE(has(folded.out, "\n  warning: $.status: ")) << folded.out;
  EXPECT_FALSE(has(run({"validate", "-q", "many.json"}).out, "warning:"));
  const auto all = nlohmann::json::parse(run({"validate", "--json", "many.json"}).out);
  EXPECT_EQ(all.at(0).at("findings").size(), 4801U);
}

TEST_F(ValidateCommand, PutsFindingsOfOneRuleTogether) {
  write_file("mixed.json", R"({"version": "1.0", "server_count": "1", "status": "completed", "server_list": [
      {"server_id": "a", "device": [{"device_id": 0, "rank_id": "x"}, {"device_id": 1, "rank_id": "y"}]}]})");
  const std::string device = "  error: $.server_list[0].device";
  const std::string decimal = ".rank_id: must be a decimal number, without sign or leading zero, found ";
  EXPECT_EQ(run({"validate", "-q", "mixed.json"}).out,
            "mixed.json: not valid, 4 errors, 0 warnings\n" +                     //
                device + "[0].device_id: must be a string, found 0 [EI0014]\n" +  //
                device + "[1].device_id: must be a string, found 1 [EI0014]\n" +  //
                "    to mend: write it in double quotes\n" +                      //
                device + "[0]" + decimal + "\"x\" [EI0014]\n" +                   //
                device + "[1]" + decimal + "\"y\" [EI0014]\n" +                   //
                "    to mend: write digits alone, in double quotes, such as \"7\"\n");
}

TEST_F(ValidateCommand, PaintsOnlyWhereColourIsWanted) {
  EXPECT_FALSE(has(run({"validate", "bad.json"}).out, "\x1b["));
  EXPECT_TRUE(has(run({"validate", "--color", "always", "bad.json"}).out, "\x1b[1;31merror\x1b[0m: $."));
}

TEST_F(ValidateCommand, KnowsProfilesAndGenerations) {
  run({"gen", "--plain", "--hosts", "n[1-3]:4", "-o", "plain.json"});
  EXPECT_EQ(run({"validate", "plain.json"}).status, 0);
  EXPECT_EQ(run({"validate", "--profile", "hccl", "plain.json"}).status, 1);
  const Outcome adasum = run({"validate", "--profile", "adasum", "plain.json"});
  EXPECT_EQ(adasum.status, 1);
  EXPECT_TRUE(
      has(adasum.out, "The device_num must be at least 16 and must be the power of 2 when applying adasum."))
      << adasum.out;
  good_hccn_tool();
  run({"gen", "--generation", "a3", "--device-num", "[0,6)", "--server-ip", "h", "-o", "six.json"});
  EXPECT_EQ(run({"validate", "six.json"}).status, 0);
  EXPECT_EQ(run({"validate", "--generation", "a3", "six.json"}).status, 0);
  EXPECT_EQ(run({"validate", "--generation", "910", "six.json"}).status, 1);
}

TEST_F(ValidateCommand, PrintsJson) {
  const Outcome bad = run({"validate", "--json", "bad.json", "none.json"});
  EXPECT_EQ(bad.status, 3);
  EXPECT_EQ(bad.out, R"json([
  {
    "file": "bad.json",
    "valid": false,
    "schema": "1.0",
    "servers": 1,
    "devices": 2,
    "findings": [
      {"severity":"error","path":"$.server_list[0].device[1].device_ip","rule":"device_ip must be an address, not a placeholder","code":"EI0014","found":"\"-.-.-.-\"","mend":"give the card an address (hccn_tool -i DEVICE_ID -ip -s ...), then make the table anew"}
    ]
  },
  {
    "file": "none.json",
    "valid": false,
    "error": "none.json: No such file or directory"
  }
]
)json");
}

/// Checks values against a JSON Schema (draft 2020-12). It knows the few keywords that our schemas use and
/// throws std::runtime_error on any other, so that none is ignored.
class JsonSchema {
 public:
  using Json = nlohmann::json;

  explicit JsonSchema(Json root) : root_(std::move(root)) {}

  /// Why `value` does not conform, with its place; empty where it does.
  std::string refusal(const Json& value) const { return check(root_, value, "$"); }

 private:
  std::string check(const Json& schema, const Json& value, const std::string& at) const {
    for (const auto& [keyword, wanted] : schema.items()) {
      const std::string wrong = check_keyword(keyword, wanted, schema, value, at);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  std::string check_keyword(const std::string& keyword, const Json& wanted, const Json& schema,
                            const Json& value, const std::string& at) const {
    const auto unless = [&](bool conforms) {
      return conforms ? "" : at + ": " + keyword + " " + wanted.dump();
    };
    if (keyword == "$schema" || keyword == "$defs" || keyword == "title" || keyword == "description")
      return "";
    if (keyword == "type") return unless(is_of_type(value, wanted));
    if (keyword == "enum") return unless(std::find(wanted.begin(), wanted.end(), value) != wanted.end());
    if (keyword == "const") return unless(value == wanted);
    if (keyword == "minimum") return unless(value >= wanted);
    if (keyword == "minLength") return unless(value.get<std::string>().size() >= wanted.get<std::size_t>());
    if (keyword == "pattern")
      return unless(std::regex_search(value.get<std::string>(), std::regex(wanted.get<std::string>())));
    if (keyword == "$ref")
      return check(root_.at(Json::json_pointer(wanted.get<std::string>().substr(1))), value, at);
    if (keyword == "oneOf")
      return unless(std::count_if(wanted.begin(), wanted.end(),
                                  [&](const Json& one) { return check(one, value, at).empty(); }) == 1);
    if (keyword == "items") return check_items(wanted, value, at);
    if (keyword == "properties") return check_properties(wanted, value, at);
    if (keyword == "required")
      return unless(std::all_of(wanted.begin(), wanted.end(),
                                [&](const Json& key) { return value.contains(key.get<std::string>()); }));
    if (keyword == "additionalProperties" && wanted == false) {
      for (const auto& [key, member] : value.items())
        if (!schema.at("properties").contains(key)) return at + ": has " + key;
      return "";
    }
    throw std::runtime_error("JSON Schema: keyword " + keyword + " is not known here");
  }

  std::string check_items(const Json& schema, const Json& list, const std::string& at) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string wrong = check(schema, list[i], at + "[" + std::to_string(i) + "]");
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  std::string check_properties(const Json& schemas, const Json& object, const std::string& at) const {
    for (const auto& [key, schema] : schemas.items()) {
      if (!object.contains(key)) continue;
      const std::string wrong = check(schema, object[key], at + "." + key);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  static bool is_of_type(const Json& value, const std::string& type) {
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    throw std::runtime_error("JSON Schema: type " + type + " is not known here");
  }

  Json root_;
};

class PublishedSchema : public ValidateCommand {
 protected:
  const JsonSchema schema_{nlohmann::json::parse(read_text(VALIDATE_SCHEMA))};
};

TEST_F(PublishedSchema, FitsWhatIsPrinted) {
  write_file("1.2.json", super_pods_text);
  write_file("2.0.json", rank_list_text);
  write_file("cloud.json", cloud_text);
  write_file("lab.json", lab_text);
  write_file("none.txt", "{");
  write_file("newer.json", edited("\"1.0\"", "\"1.1\""));
  write_file("bytes.json", edited("\"10.0.0.2\"", "\"10.*.\\u00e9\""));
  Words words = {"validate", "--json", "absent.json"};
  for (const std::string& file : files()) words.push_back(file);
  for (const char* generation : {"910", "a2", "a3", "950"}) {
    Words with = words;
    with.insert(with.end(), {"--profile", "hccl", "--generation", generation});
    const auto printed = nlohmann::json::parse(run(with).out);
    EXPECT_EQ(printed.size(), 10U);
    EXPECT_EQ(schema_.refusal(printed), "");
  }
  EXPECT_EQ(schema_.refusal(nlohmann::json::array()), "");
}

TEST_F(PublishedSchema, RefusesWhatIsNot) {
  const auto printed = nlohmann::json::parse(run({"validate", "--json", "bad.json"}).out);
  ASSERT_EQ(schema_.refusal(printed), "");
  const struct {
    const char* place;
    nlohmann::json value;
  } cases[] = {
      {"/0/valid", "no"},
      {"/0/schema", "3.0"},
      {"/0/servers", -1},
      {"/0/error", "x"},
      {"/0/findings/0/severity", "fatal"},
      {"/0/findings/0/code", "EI14"},
      {"/0/findings/0/path", "server_list"},
      {"/0/findings/0/rule", ""},
      {"/0/findings/0/more", 1},
  };
  for (const auto& wrong : cases) {
    auto changed = printed;
    changed[nlohmann::json::json_pointer(wrong.place)] = wrong.value;
    EXPECT_NE(schema_.refusal(changed), "") << wrong.place;
  }
  auto without = printed;
  without[0]["findings"][0].erase("mend");
  EXPECT_NE(schema_.refusal(without), "");
}

}  // namespace
}  // namespace adarun::ranktable
