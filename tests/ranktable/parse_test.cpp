// SPDX-License-Identifier: Apache-2.0
#include "ranktable/parse.h"

#include <gtest/gtest.h>

#include <fstream>

#include "ranktable/error.h"
#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

TEST(Parse, ReadsWhatTheReferenceWrites) {
  EXPECT_EQ(parse(two_cards, "t.json"), two_cards_table());
}

TEST(Parse, TakesWhatTheSchemaAllows) {
  const struct {
    const char* name;
    std::string text;
  } cases[] = {
      {"bytes without blanks",
       R"({"version":"1.0","server_count":"0","server_list":[],"status":"initializing"})"},
      {"a byte order mark", "\xef\xbb\xbf" + two_cards},
      {"a newline at the end", two_cards + "\n"},
      {"no host_nic_ip", edited(",\n            \"host_nic_ip\": \"reserve\"", "")},
      {"no device_ip", edited("\"device_ip\": \"10.10.100.10\",", "")},
      {"an address that is none", edited("10.10.100.10", "-.-.-.-")},
      {"a large number", edited("\"rank_id\": \"1\"", "\"rank_id\": \"2147483647\"")},
      {"fields of other tools", edited("\"rank_id\": \"1\"", "\"rank_id\": \"1\", \"numa_id\": 3")},
      {"another order of keys",
       edited("\"device_id\": \"0\",", "\"super\": {\"device_id\": []}, \"device_id\": \"0\",")},
      {"text outside ASCII", edited("10.0.0.2", "kn\xc3\xb6t\\u00e9")},
      {"another status", edited("completed", "busy")},
  };
  for (const auto& taken : cases) EXPECT_NO_THROW(parse(taken.text, "t.json")) << taken.name;
}

TEST(Parse, RefusesWhatIsNotTheSchemaNamingThePlace) {
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {edited("\"rank_id\": \"1\"", "\"rank_id\": 1"),
       "t.json: $.server_list[0].device[1].rank_id: must be a string, found 1 [EI0014]"},
      {edited("\"rank_id\": \"1\"", "\"rank_id\": \"-1\""),
       "t.json: $.server_list[0].device[1].rank_id: must be a decimal number, without sign or leading zero, "
       "found \"-1\" [EI0014]"},
      {edited(",\n                    \"rank_id\": \"1\"", ""),
       "t.json: $.server_list[0].device[1].rank_id: must be there [EI0017]"},
      {edited("\"10.10.100.10\"", "null"),
       "t.json: $.server_list[0].device[0].device_ip: must be a string, found null [EI0014]"},
      {edited("\"server_id\": \"10.0.0.2\",", ""),
       "t.json: $.server_list[0].server_id: must be there [EI0017]"},
      {edited("\"reserve\"", "[]"),
       "t.json: $.server_list[0].host_nic_ip: must be a string, found [] [EI0014]"},
      {edited("\"server_count\": \"1\",", ""), "t.json: $.server_count: must be there [EI0017]"},
      {edited("\"server_count\": \"1\"", "\"server_count\": 1"),
       "t.json: $.server_count: must be a string, found 1 [EI0014]"},
      {edited("\"version\": \"1.0\",", ""), "t.json: $.version: must be there [EI0017]"},
      {edited("\"1.0\"", "1.0"), "t.json: $.version: must be \"1.0\", found 1.0 [EI0014]"},
      {edited("\"1.0\"", "\"3.0\""), "t.json: $.version: must be \"1.0\", found \"3.0\" [EI0014]"},
      {edited(",\n    \"status\": \"completed\"", ""), "t.json: $.status: must be there [EI0017]"},
      {"[]", "t.json: $: must be an object, found [] [EI0004]"},
      {R"({"version":"1.0","server_count":"1","server_list":{},"status":"completed"})",
       "t.json: $.server_list: must be an array, found {} [EI0004]"},
      {R"({"version":"1.0","server_count":"1","server_list":[7],"status":"completed"})",
       "t.json: $.server_list[0]: must be an object, found 7 [EI0004]"},
      {R"({"version":"1.0","server_count":"1","server_list":[{"server_id":"a","device":[[]]}],"status":""})",
       "t.json: $.server_list[0].device[0]: must be an object, found [] [EI0004]"},
  };
  for (const auto& wrong : cases)
    EXPECT_EQ(error_of([&] { parse(wrong.text, "t.json"); }), wrong.message) << wrong.text;
}

TEST(Parse, TakesPlainDecimalsOnly) {
  for (const char* number : {"", " 1", "1 ", "+1", "-1", "01", "0x1", "1abc", "1.0", "2147483648", "\\u0661"})
    EXPECT_NE(error_of([&] {
                parse(edited("\"device_id\": \"1\"", std::string("\"device_id\": \"") + number + '"'), "t");
              }).find("$.server_list[0].device[1].device_id: must be a decimal number"),
              std::string::npos)
        << number;
}

TEST(Parse, RefusesOtherSchemasByName) {
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {edited("\"1.0\"", "\"1.1\""),
       "t.json: $.version: found \"1.1\", which this release does not read, wanted \"1.0\""},
      {edited("\"1.0\"", "\"1.2\""),
       "t.json: $.version: found \"1.2\", which this release does not read, wanted \"1.0\""},
      {R"({"version": "2.0", "rank_count": 1})",
       "t.json: $.version: found \"2.0\", which this release does not read, wanted \"1.0\""},
      {R"({"status": "completed", "group_list": []})",
       "t.json: a group_list table (cloud), wanted a table of version 1.0: adarun ranktable convert --to "
       "1.0"},
      {R"({"deploy_mode": "lab", "group_list": []})",
       "t.json: a group_list table (lab), wanted a table of version 1.0: adarun ranktable convert --to 1.0"},
  };
  for (const auto& other : cases) EXPECT_EQ(error_of([&] { parse(other.text, "t.json"); }), other.message);
}

TEST(Parse, RefusesWhatIsNotJsonWithLineAndColumn) {
  const std::string deep(65, '[');
  std::string many_keys = "{";
  for (int i = 0; i <= 1024; ++i) many_keys += "\"" + std::to_string(i) + "\":0,";
  const struct {
    std::string text;
    const char* place;
  } cases[] = {
      {"", "line 1, column 1: the file is empty"},
      {"{", "line 1, column 2: "},
      {"{\n  \"a\": 1,\n  \"a\": 2}", "line 3, column 5: key \"a\" comes twice in one object"},
      {"{\"a\": {\"b\": 1, \"\\u0062\": 2}}", "line 1, column 23: key \"b\" comes twice in one object"},
      {"{}\n{}", "line 2, column 1: "},
      {two_cards + "x", "line 23, column 2: "},
      {std::string("{}\0x", 4), "line 1, column 3: a zero byte"},
      {"{\"a\": \"\xff\"}", "line 1, column 8: "},
      {"{\"a\": \"\xed\xa0\x80\"}", "line 1, column 9: "},
      {"{\"a\": 1,}", "line 1, column 9: "},
      {"{'a': 1}", "line 1, column 2: "},
      {"{\"a\": 01}", "line 1, column 8: "},
      {"{\"a\": NaN}", "line 1, column 7: "},
      {"{\"a\": 1e999}", "number overflow"},
      {"{\"a\": 1} // x", "line 1, column 10: "},
      {"\n" + deep, "line 2, column 65: nested deeper than 64 levels"},
      {many_keys, "more than 1024 keys in one object"},
      {"ipaddr:10.0.0.1", "line 1, column 1: "},
  };
  for (const auto& wrong : cases) {
    const std::string message = error_of([&] { parse(wrong.text, "t.json"); });
    EXPECT_EQ(message.rfind("t.json: $: must be JSON, found line ", 0), 0U) << message;
    EXPECT_NE(message.find(wrong.place), std::string::npos) << message << "\nwanted " << wrong.place;
  }
}

TEST(Parse, KeepsMessagesShortAndPrintable) {
  for (const std::string& text :
       {"\"" + std::string(100000, '\x1b'), "{\"a\": \"" + std::string(100000, 'x')}) {
    const std::string message = error_of([&] { parse(text, "t.json"); });
    EXPECT_LT(message.size(), 400U);
    EXPECT_EQ(message.find('\x1b'), std::string::npos);
  }
}

TEST(Parse, SaysHowManyMoreThingsAreWrong) {
  EXPECT_NE(error_of([] {
              parse(R"({"version":"1.0","server_count":"1","server_list":[{}],"status":"completed"})", "t");
            }).find(" (and 1 more)"),
            std::string::npos);
}

TEST(Parse, RemembersAServerCountThatIsWrong) {
  const Table table = parse(edited("\"server_count\": \"1\"", "\"server_count\": \"3\""), "t.json");
  EXPECT_EQ(table.wrong_server_count, "3");
  EXPECT_EQ(table.servers.size(), 1U);
}

TEST(Examine, ReadsOnBehindErrors) {
  std::string text = edited("\"rank_id\": \"0\"", "\"rank_id\": \"a\"");
  text.replace(text.find("\"device_id\": \"1\""), 16, "\"device_id\": 1.5");
  const Examined examined = examine(text, "t.json");
  ASSERT_EQ(examined.findings.size(), 2U);
  EXPECT_EQ(examined.findings[0].path, "$.server_list[0].device[0].rank_id");
  EXPECT_EQ(examined.findings[1].path, "$.server_list[0].device[1].device_id");
  EXPECT_EQ(examined.table.servers.at(0).devices.at(0).rank_id, -1);
  EXPECT_EQ(examined.table.servers.at(0).devices.at(1).rank_id, 1);
}

TEST(Read, ReadsAFileAndNamesItInErrors) {
  const ScratchFolder scratch;
  const std::filesystem::path file = scratch.path() / "t.json";
  std::ofstream(file) << two_cards;
  EXPECT_EQ(read(file), two_cards_table());
  std::ofstream(file) << "{";
  EXPECT_EQ(error_of([&] { read(file); }).rfind(file.string() + ": ", 0), 0U);
}

TEST(Read, RefusesWhatCannotBeRead) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of([&] { read(scratch.path() / "none"); }),
            (scratch.path() / "none").string() + ": No such file or directory");
  EXPECT_EQ(error_of([&] { read(scratch.path()); }),
            scratch.path().string() + ": is a directory, wanted a file");
  std::ofstream(scratch.path() / "large") << std::string(max_text_bytes + 1, ' ');
  EXPECT_NE(error_of([&] { read(scratch.path() / "large"); }).find("larger than 40 MiB"), std::string::npos);
}

}  // namespace
}  // namespace adarun::ranktable
