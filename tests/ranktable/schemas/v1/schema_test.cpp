// SPDX-License-Identifier: Apache-2.0
// Tables of version 1.2.
#include "ranktable/schemas/v1/schema.h"

#include <gtest/gtest.h>

#include "ranktable/parse.h"
#include "ranktable/write.h"
#include "tests/ranktable/schema_texts.h"

namespace adarun::ranktable {
namespace {

TEST(ParseSuperPods, ReadsDevicesServersAndPods) {
  const Table table = parse(super_pods_text, "t");
  EXPECT_EQ(table.version, "1.2");
  const Device& device = table.servers.at(0).devices.at(0);
  EXPECT_EQ(device.super_device_id, "4294967295");
  EXPECT_EQ(device.extras, (std::vector<Extra>{{"backup_device_ip", "\"192.168.1.7\""}}));
  EXPECT_EQ(table.super_pods, (std::vector<SuperPod>{{"pod_0", {{"node_0"}}}}));
  EXPECT_EQ(write(table), super_pods_text);
}

TEST(ParseSuperPods, TakesWhatTheSchemaAllows) {
  const Edit edits[] = {
      {"\"server_count\": \"1\",", ""},
      {"\"super_device_id\": \"4294967295\",", ""},
      {"\"super_device_id\": \"4294967295\"", "\"super_device_id\": \"not a number\""},
      {"\"super_pod_list\": [", "\"super_pod_list\": [], \"other\": ["},
      {"\"super_pod_list\"", "\"another\""},
      {"{\n                    \"server_id\": \"node_0\"\n                }", ""},
      {"\"super_pod_id\"", "\"size\": 2, \"super_pod_id\""},
      {"\"server_id\": \"node_0\"\n", "\"server_id\": \"node_0\", \"x\": {}\n"},
  };
  expect_taken(super_pods_text, edits);
}

TEST(ParseSuperPods, RefusesWhatIsNotTheSchema) {
  const Edit edits[] = {
      {"\"server_count\": \"1\"", "\"server_count\": 1",
       "$.server_count: must be a string, found 1 [EI0014]"},
      {"\"4294967295\"", "7",
       "$.server_list[0].device[0].super_device_id: must be a string, found 7 [EI0014]"},
      {"\"super_pod_id\": \"pod_0\"", "\"super_pod_id\": 0",
       "$.super_pod_list[0].super_pod_id: must be a string, found 0 [EI0014]"},
      {"\"super_pod_id\"", "\"id\"", "$.super_pod_list[0].super_pod_id: must be there [EI0017]"},
      {"\"super_pod_list\": [", "\"super_pod_list\": {}, \"x\": [",
       "$.super_pod_list: must be an array, found {} [EI0004]"},
      {"\"super_pod_list\": [", "\"super_pod_list\": [1], \"x\": [",
       "$.super_pod_list[0]: must be an object, found 1 [EI0004]"},
      {"\"pod_0\",\n            \"server_list\"", "\"pod_0\",\n            \"servers\"",
       "$.super_pod_list[0].server_list: must be there [EI0017]"},
      {"{\n                    \"server_id\": \"node_0\"\n                }", "\"node_0\"",
       "$.super_pod_list[0].server_list[0]: must be an object, found \"node_0\" [EI0004]"},
  };
  expect_refused(super_pods_text, edits);
}

TEST(ParseSuperPods, LeavesTheirFieldsAsTheyAreInVersion1Dot0) {
  const std::string text = apply(super_pods_text, {"\"1.2\"", "\"1.0\""});
  const Table table = parse(apply(text, {"\"4294967295\"", "7"}), "t");
  EXPECT_EQ(table.servers.at(0).devices.at(0).super_device_id, "");
  EXPECT_EQ(table.servers.at(0).devices.at(0).extras.at(0), (Extra{"super_device_id", "7"}));
  EXPECT_EQ(table.extras.at(0).name, "super_pod_list");
}

TEST(ParseSuperPods, RemembersAServerCountThatIsWrong) {
  EXPECT_EQ(parse(apply(super_pods_text, {"\"1\"", "\"2\""}), "t").wrong_server_count, "2");
  EXPECT_EQ(parse(apply(super_pods_text, {"\"server_count\": \"1\",", ""}), "t").wrong_server_count,
            std::nullopt);
}

}  // namespace
}  // namespace adarun::ranktable
