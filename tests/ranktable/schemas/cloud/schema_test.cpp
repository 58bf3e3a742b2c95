// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/cloud/schema.h"

#include <gtest/gtest.h>

#include "ranktable/parse.h"
#include "ranktable/write.h"
#include "tests/ranktable/schema_texts.h"

namespace adarun::ranktable {
namespace {

CloudTable parse_cloud_text(const std::string& text) {
  return std::get<CloudTable>(parse_any(text, "t"));
}

TEST(ParseCloud, ReadsGroupsInstancesAndDevices) {
  CloudTable wanted;
  wanted.groups = {{"hccl_world_group", {{"tf-bae41", "node_0", {{1, "192.168.1.9"}, {0, "192.168.1.8"}}}}}};
  EXPECT_EQ(parse_cloud_text(cloud_text), wanted);
  EXPECT_EQ(write(AnyTable(wanted)), cloud_text);
}

TEST(ParseCloud, TakesWhatTheSchemaAllows) {
  const Edit edits[] = {
      {"\"group_name\": \"hccl_world_group\",", ""},
      {"\"device_ip\": \"192.168.1.9\"", "\"numa\": 1"},
      {"\"device_id\": \"1\"", "\"device_id\": \"2147483647\""},
      {"\"pod_name\"", "\"rank\": [], \"pod_name\""},
      {"\"completed\"", "\"initializing\""},
      {"\"group_list\": [", "\"group_list\": [], \"x\": ["},
      {"\"devices\": [", "\"devices\": [], \"x\": ["},
  };
  expect_taken(cloud_text, edits);
}

TEST(ParseCloud, RefusesWhatIsNotTheSchema) {
  const Edit edits[] = {
      {"\"status\"", "\"state\"", "$.status: must be there [EI0017]"},
      {"\"group_count\": \"1\"", "\"group_count\": 1", "$.group_count: must be a string, found 1 [EI0014]"},
      {"\"group_count\"", "\"groups\"", "$.group_count: must be there [EI0017]"},
      {"\"instance_count\"", "\"instances\"", "$.group_list[0].instance_count: must be there [EI0017]"},
      {"\"device_count\": \"2\"", "\"device_count\": null",
       "$.group_list[0].device_count: must be a string, found null [EI0014]"},
      {"\"pod_name\"", "\"pod\"", "$.group_list[0].instance_list[0].pod_name: must be there [EI0017]"},
      {"\"server_id\": \"node_0\"", "\"server_id\": []",
       "$.group_list[0].instance_list[0].server_id: must be a string, found [] [EI0014]"},
      {"\"devices\"", "\"device\"", "$.group_list[0].instance_list[0].devices: must be there [EI0017]"},
      {"\"device_id\": \"0\"", "\"device_id\": \"00\"",
       "$.group_list[0].instance_list[0].devices[1].device_id: must be a decimal number, without sign or "
       "leading "
       "zero, found \"00\" [EI0014]"},
      {"\"device_id\": \"1\"", "\"device_id\": 1",
       "$.group_list[0].instance_list[0].devices[0].device_id: must be a string, found 1 [EI0014]"},
      {"\"192.168.1.8\"", "false",
       "$.group_list[0].instance_list[0].devices[1].device_ip: must be a string, found false [EI0014]"},
      {"\"hccl_world_group\"", "1", "$.group_list[0].group_name: must be a string, found 1 [EI0014]"},
      {"\"group_list\": [", "\"group_list\": {}, \"x\": [",
       "$.group_list: must be an array, found {} [EI0004]"},
      {"\"instance_list\": [", "\"instance_list\": [[]], \"x\": [",
       "$.group_list[0].instance_list[0]: must be an object, found [] [EI0004]"},
  };
  expect_refused(cloud_text, edits);
}

TEST(ParseCloud, RemembersCountsThatAreWrong) {
  std::string text = apply(cloud_text, {"\"group_count\": \"1\"", "\"group_count\": \"7\""});
  text = apply(text, {"\"instance_count\": \"1\"", "\"instance_count\": \"8\""});
  text = apply(text, {"\"device_count\": \"2\"", "\"device_count\": \"9\""});
  const CloudTable table = parse_cloud_text(text);
  EXPECT_EQ(table.wrong_group_count, "7");
  EXPECT_EQ(table.groups.at(0).wrong_instance_count, "8");
  EXPECT_EQ(table.groups.at(0).wrong_device_count, "9");
  EXPECT_EQ(write(AnyTable(table)), cloud_text);
}

}  // namespace
}  // namespace adarun::ranktable
