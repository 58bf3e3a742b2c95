// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/lab/schema.h"

#include <gtest/gtest.h>

#include "ranktable/parse.h"
#include "ranktable/write.h"
#include "tests/ranktable/schema_texts.h"

namespace adarun::ranktable {
namespace {

LabTable parse_lab_text(const std::string& text) {
  return std::get<LabTable>(parse_any(text, "t"));
}

TEST(ParseLab, ReadsGroupsAndInstances) {
  LabTable wanted;
  wanted.board_id = "0x0020";
  wanted.groups = {
      {"", {{{0, "192.1.27.6"}, 0, "10.155.111.140"}, {{1, "192.2.27.6"}, 1, "10.155.111.140"}}}};
  wanted.para_plane_nic_names = {"eth0", "eth1"};
  EXPECT_EQ(parse_lab_text(lab_text), wanted);
  EXPECT_EQ(write(AnyTable(wanted)), lab_text);
}

TEST(ParseLab, TakesWhatTheSchemaAllows) {
  const Edit edits[] = {
      {"\"deploy_mode\": \"lab\"", "\"deploy_mode\": \"cloud\""},
      {"\"group_name\": \"\",", ""},
      {"\"device_ip\": \"192.1.27.6\"", "\"x\": {}"},
      {"\"rank_id\": \"1\"", "\"rank_id\": \"1\", \"extra\": 1"},
      {"\"eth0\",", ""},
      {"\"chip_info\"", "\"x\": [1], \"chip_info\""},
      {"\"group_list\": [", "\"group_list\": [], \"x\": ["},
  };
  expect_taken(lab_text, edits);
}

TEST(ParseLab, RefusesWhatIsNotTheSchema) {
  const Edit edits[] = {
      {"\"board_id\"", "\"board\"", "$.board_id: must be there [EI0017]"},
      {"\"chip_info\": \"910\"", "\"chip_info\": 910", "$.chip_info: must be a string, found 910 [EI0014]"},
      {"\"deploy_mode\": \"lab\"", "\"deploy_mode\": 1", "$.deploy_mode: must be a string, found 1 [EI0014]"},
      {"\"group_count\"", "\"x\"", "$.group_count: must be there [EI0017]"},
      {"\"device_num\": \"2\"", "\"device_num\": 2",
       "$.group_list[0].device_num: must be a string, found 2 [EI0014]"},
      {"\"server_num\"", "\"x\"", "$.group_list[0].server_num: must be there [EI0017]"},
      {"\"instance_count\"", "\"x\"", "$.group_list[0].instance_count: must be there [EI0017]"},
      {"\"instance_list\"", "\"x\"", "$.group_list[0].instance_list: must be there [EI0017]"},
      {"\"devices\": [", "\"devices\": [], \"x\": [",
       "$.group_list[0].instance_list[0].devices: must have exactly one device, found 0 devices [EI0014]"},
      {"\"devices\": [", "\"devices\": [{\"device_id\": \"1\"}, {\"device_id\": \"2\"}], \"x\": [",
       "$.group_list[0].instance_list[0].devices: must have exactly one device, found 2 devices [EI0014]"},
      {"\"rank_id\": \"0\"", "\"rank_id\": 0",
       "$.group_list[0].instance_list[0].rank_id: must be a string, found 0 [EI0014]"},
      {"\"server_id\"", "\"server\"", "$.group_list[0].instance_list[0].server_id: must be there [EI0017]"},
      {"\"eth1\"", "1", "$.para_plane_nic_name[1]: must be a string, found 1 [EI0014]"},
      {"\"para_plane_nic_num\": \"2\"", "\"para_plane_nic_num\": 2",
       "$.para_plane_nic_num: must be a string, found 2 [EI0014]"},
      {"\"para_plane_nic_location\"", "\"x\"", "$.para_plane_nic_location: must be there [EI0017]"},
  };
  for (const Edit& edit : edits) {
    const std::string message = error_of([&] { parse_any(apply(lab_text, edit), "t"); });
    EXPECT_EQ(message.substr(0, message.find(" (and ")), std::string("t: ") + edit.message) << edit.to;
  }
}

TEST(ParseLab, RemembersCountsThatAreWrong) {
  std::string text = apply(lab_text, {"\"group_count\": \"1\"", "\"group_count\": \"5\""});
  text = apply(text, {"\"device_num\": \"2\"", "\"device_num\": \"6\""});
  text = apply(text, {"\"server_num\": \"1\"", "\"server_num\": \"7\""});
  text = apply(text, {"\"instance_count\": \"2\"", "\"instance_count\": \"8\""});
  text = apply(text, {"\"para_plane_nic_num\": \"2\"", "\"para_plane_nic_num\": \"9\""});
  const LabTable table = parse_lab_text(text);
  EXPECT_EQ(table.wrong_group_count, "5");
  EXPECT_EQ(table.groups.at(0).wrong_device_num, "6");
  EXPECT_EQ(table.groups.at(0).wrong_server_num, "7");
  EXPECT_EQ(table.groups.at(0).wrong_instance_count, "8");
  EXPECT_EQ(table.wrong_nic_num, "9");
  EXPECT_EQ(write(AnyTable(table)), lab_text);
}

}  // namespace
}  // namespace adarun::ranktable
