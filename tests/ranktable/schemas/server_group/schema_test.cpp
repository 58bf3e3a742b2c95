// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/server_group/schema.h"

#include <gtest/gtest.h>

#include "ranktable/parse.h"
#include "ranktable/write.h"
#include "tests/ranktable/schema_texts.h"

namespace adarun::ranktable {
namespace {

ServerGroupTable parse_groups(const std::string& text) {
  return std::get<ServerGroupTable>(parse_any(text, "t"));
}

TEST(ParseServerGroup, ReadsGroupsServersAndDevices) {
  ServerGroupTable wanted;
  wanted.version = "1.2";
  wanted.groups.resize(2);
  wanted.groups[0].group_id = "0";
  wanted.groups[0].servers = {GroupServer{"", "10.0.0.9"}};
  wanted.groups[1].group_id = "1";
  wanted.groups[1].deploy_server = "0";
  wanted.groups[1].servers = {
      {"10.0.0.2",
       "172.16.0.2",
       "172.17.0.2",
       {{6, "192.168.1.6", 1, 0, "17"}, {7, "192.168.1.7", 0, std::nullopt, "", {{"numa_id", "1"}}}},
       {{"hardware_type", "\"800I-A2-32G\""}}}};
  wanted.groups[1].super_pods = {{"0", {{"10.0.0.2"}}}};
  EXPECT_EQ(parse_groups(server_group_text), wanted);
  EXPECT_EQ(write(AnyTable(wanted)), server_group_text);
}

TEST(ParseServerGroup, TakesWhatTheSchemaAllows) {
  const Edit edits[] = {
      {"\"version\": \"1.2\",", ""},
      {"\"status\": \"completed\",", ""},
      {"\"group_id\": \"0\"", "\"group_id\": \"router\", \"status\": \"completed\", \"version\": \"1.0\""},
      {"\"server_ip\": \"10.0.0.9\"", "\"pod_name\": \"p\", \"device\": []"},
      {"\"device_ip\": \"192.168.1.6\",", ""},
      {"\"server_list\": [", "\"server_list\": [], \"x\": ["},
  };
  expect_taken(server_group_text, edits);
}

TEST(ParseServerGroup, RefusesWhatIsNotTheSchema) {
  const std::string server = "$.server_group_list[1].server_list[0]";
  const struct {
    Edit edit;
    std::string message;
  } cases[] = {
      {{"\"status\": \"completed\"", "\"status\": 1"}, "$.status: must be a string, found 1 [EI0014]"},
      {{"\"group_id\": \"1\",", ""}, "$.server_group_list[1].group_id: must be there [EI0017]"},
      {{"\"group_id\": \"1\"", "\"group_id\": 1"},
       "$.server_group_list[1].group_id: must be a string, found 1 [EI0014]"},
      {{"\"server_count\"", "\"x\""}, "$.server_group_list[0].server_count: must be there [EI0017]"},
      {{"\"server_count\": \"1\"", "\"server_count\": 1"},
       "$.server_group_list[0].server_count: must be a string, found 1 [EI0014]"},
      {{"\"server_list\"", "\"x\""}, "$.server_group_list[0].server_list: must be there [EI0017]"},
      {{"\"device\": [", "\"device\": {}, \"x\": ["},
       server + ".device: must be an array, found {} [EI0004]"},
      {{"\"rank_id\": \"1\"", "\"rank_id\": 1"},
       server + ".device[0].rank_id: must be a string, found 1 [EI0014]"},
      {{"\"rank_id\": \"0\",", ""}, server + ".device[1].rank_id: must be there [EI0017]"},
      {{"\"device_logical_id\": \"0\"", "\"device_logical_id\": \"x\""},
       server + ".device[0].device_logical_id: must be a decimal number, without sign or leading zero, found "
                "\"x\" [EI0014]"},
      {{"\"super_pod_id\"", "\"x\""},
       "$.server_group_list[1].super_pod_list[0].super_pod_id: must be there [EI0017]"},
      {{"\"server_group_list\": [", "\"server_group_list\": [7, "},
       "$.server_group_list[0]: must be an object, found 7 [EI0004]"},
  };
  for (const auto& wrong : cases)
    EXPECT_EQ(error_of([&] { parse_any(apply(server_group_text, wrong.edit), "t"); }), "t: " + wrong.message);
}

TEST(ParseServerGroup, RemembersCountsThatAreWrong) {
  const ServerGroupTable table =
      parse_groups(apply(server_group_text, {"\"server_count\": \"1\"", "\"server_count\": \"5\""}));
  EXPECT_EQ(table.groups.at(0).wrong_server_count, "5");
  EXPECT_FALSE(table.groups.at(1).wrong_server_count);
  EXPECT_EQ(write(AnyTable(table)), server_group_text);
}

TEST(ParseServerGroup, IsOfThisSchemaWhateverItsVersion) {
  for (const char* version : {"1.0", "2.0", "1.1", "7"}) {
    const std::string field = "\"version\": \"" + std::string(version) + "\"";
    const Edit edit{"\"version\": \"1.2\"", field.c_str()};
    const std::string text = apply(server_group_text, edit);
    EXPECT_EQ(parse_groups(text).version, version);
  }
}

}  // namespace
}  // namespace adarun::ranktable
