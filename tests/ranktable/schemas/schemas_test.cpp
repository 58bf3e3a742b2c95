// SPDX-License-Identifier: Apache-2.0
// The forms of all schemas besides 1.0: what is read, what is refused, and what is written.
#include "ranktable/schemas/schemas.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "ranktable/parse.h"
#include "ranktable/schemas/cloud/schema.h"
#include "ranktable/schemas/lab/schema.h"
#include "ranktable/schemas/rank_list/schema.h"
#include "ranktable/schemas/server_group/schema.h"
#include "ranktable/schemas/v1/schema.h"
#include "ranktable/write.h"
#include "tests/ranktable/schema_texts.h"

namespace adarun::ranktable {
namespace {

struct SchemaCase {
  const char* name;
  const std::string& text;
  std::span<const Edit> taken;
  std::span<const Edit> refused;
};

const Edit super_pods_taken[] = {
    {"\"server_count\": \"1\",", ""},
    {"\"super_device_id\": \"4294967295\",", ""},
    {"\"super_device_id\": \"4294967295\"", "\"super_device_id\": \"not a number\""},
    {"\"super_pod_list\": [", "\"super_pod_list\": [], \"other\": ["},
    {"\"super_pod_list\"", "\"another\""},
    {"{\n                    \"server_id\": \"node_0\"\n                }", ""},
    {"\"super_pod_id\"", "\"size\": 2, \"super_pod_id\""},
    {"\"server_id\": \"node_0\"\n", "\"server_id\": \"node_0\", \"x\": {}\n"},
};

const Edit super_pods_refused[] = {
    {"\"server_count\": \"1\"", "\"server_count\": 1", "$.server_count: must be a string, found 1 [EI0014]"},
    {"\"4294967295\"", "7", "$.server_list[0].device[0].super_device_id: must be a string, found 7 [EI0014]"},
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

const Edit cloud_taken[] = {
    {"\"group_name\": \"hccl_world_group\",", ""},
    {"\"device_ip\": \"192.168.1.9\"", "\"numa\": 1"},
    {"\"device_id\": \"1\"", "\"device_id\": \"2147483647\""},
    {"\"pod_name\"", "\"rank\": [], \"pod_name\""},
    {"\"completed\"", "\"initializing\""},
    {"\"group_list\": [", "\"group_list\": [], \"x\": ["},
    {"\"devices\": [", "\"devices\": [], \"x\": ["},
};

const Edit cloud_refused[] = {
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

const Edit lab_taken[] = {
    {"\"deploy_mode\": \"lab\"", "\"deploy_mode\": \"cloud\""},
    {"\"group_name\": \"\",", ""},
    {"\"device_ip\": \"192.1.27.6\"", "\"x\": {}"},
    {"\"rank_id\": \"1\"", "\"rank_id\": \"1\", \"extra\": 1"},
    {"\"eth0\",", ""},
    {"\"chip_info\"", "\"x\": [1], \"chip_info\""},
    {"\"group_list\": [", "\"group_list\": [], \"x\": ["},
};

const Edit lab_refused[] = {
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

const Edit rank_list_taken[] = {
    {"\"version\": \"2.0\",", "\"version\": \"2.0\", \"topo_file_path\": \"/t.json\","},
    {"\"status\": \"completed\",", ""},
    {"\"device_port\": 16666,", ""},
    {"\"host_port\": 60001,", ""},
    {"\"net_attr\": \"\",", ""},
    {"\"rank_id\": 0", "\"rank_id\": 2147483647"},
    {"\"local_id\": 3", "\"local_id\": 64, \"replaced_local_id\": 2"},
    {"\"addr_type\": \"EID\"", "\"addr_type\": \"\""},
    {"\"level_list\": [", "\"level_list\": [], \"x\": ["},
    {"\"0/4\",", ""},
};

const Edit rank_list_refused[] = {
    {"\"status\": \"completed\"", "\"status\": 1", "$.status: must be a string, found 1 [EI0014]"},
    {"\"rank_count\": 1", "\"rank_count\": \"1\"",
     "$.rank_count: must be an integer from 0 to 2147483647, found \"1\" [EI0014]"},
    {"\"rank_count\"", "\"count\"", "$.rank_count: must be there [EI0017]"},
    {"\"rank_id\": 0", "\"rank_id\": \"0\"",
     "$.rank_list[0].rank_id: must be an integer from 0 to 2147483647, found \"0\" [EI0014]"},
    {"\"rank_id\": 0", "\"rank_id\": -0",
     "$.rank_list[0].rank_id: must be an integer from 0 to 2147483647, found -0 [EI0014]"},
    {"\"rank_id\": 0", "\"rank_id\": 0.0",
     "$.rank_list[0].rank_id: must be an integer from 0 to 2147483647, found 0.0 [EI0014]"},
    {"\"local_id\": 3", "\"local_id\": 1e1",
     "$.rank_list[0].local_id: must be an integer from 0 to 2147483647, found 1e1 [EI0014]"},
    {"\"device_id\": 2", "\"device_id\": 2147483648",
     "$.rank_list[0].device_id: must be an integer from 0 to 2147483647, found 2147483648 [EI0014]"},
    {"\"device_port\": 16666", "\"device_port\": null",
     "$.rank_list[0].device_port: must be an integer from 0 to 2147483647, found null [EI0014]"},
    {"\"host_port\": 60001", "\"host_port\": -1",
     "$.rank_list[0].host_port: must be an integer from 0 to 2147483647, found -1 [EI0014]"},
    {"\"level_list\"", "\"levels\"", "$.rank_list[0].level_list: must be there [EI0017]"},
    {"\"net_instance_id\": \"cluster\"", "\"net_instance_id\": 1",
     "$.rank_list[0].level_list[1].net_instance_id: must be a string, found 1 [EI0014]"},
    {"\"net_type\": \"TOPO_FILE_DESC\"", "\"net_type\": null",
     "$.rank_list[0].level_list[0].net_type: must be a string, found null [EI0014]"},
    {"\"addr\"", "\"address\"",
     "$.rank_list[0].level_list[0].rank_addr_list[0].addr: must be there [EI0017]"},
    {"\"0/5\"", "5",
     "$.rank_list[0].level_list[0].rank_addr_list[0].ports[1]: must be a string, found 5 [EI0014]"},
    {"\"ports\": [", "\"ports\": \"0/4\", \"x\": [",
     "$.rank_list[0].level_list[0].rank_addr_list[0].ports: must be an array, found \"0/4\" [EI0004]"},
    {"\"plane_id\": \"plane0\"", "\"plane_id\": 0",
     "$.rank_list[0].level_list[0].rank_addr_list[0].plane_id: must be a string, found 0 [EI0014]"},
};

const Edit server_group_taken[] = {
    {"\"version\": \"1.2\",", ""},
    {"\"status\": \"completed\",", ""},
    {"\"group_id\": \"0\"", "\"group_id\": \"router\", \"status\": \"completed\", \"version\": \"1.0\""},
    {"\"server_ip\": \"10.0.0.9\"", "\"pod_name\": \"p\", \"device\": []"},
    {"\"device_ip\": \"192.168.1.6\",", ""},
    {"\"server_list\": [", "\"server_list\": [], \"x\": ["},
};

const Edit server_group_refused[] = {
    {"\"status\": \"completed\"", "\"status\": 1", "$.status: must be a string, found 1 [EI0014]"},
    {"\"group_id\": \"1\",", "", "$.server_group_list[1].group_id: must be there [EI0017]"},
    {"\"group_id\": \"1\"", "\"group_id\": 1",
     "$.server_group_list[1].group_id: must be a string, found 1 [EI0014]"},
    {"\"server_count\"", "\"x\"", "$.server_group_list[0].server_count: must be there [EI0017]"},
    {"\"server_count\": \"1\"", "\"server_count\": 1",
     "$.server_group_list[0].server_count: must be a string, found 1 [EI0014]"},
    {"\"server_list\"", "\"x\"", "$.server_group_list[0].server_list: must be there [EI0017]"},
    {"\"device\": [", "\"device\": {}, \"x\": [",
     "$.server_group_list[1].server_list[0].device: must be an array, found {} [EI0004]"},
    {"\"rank_id\": \"1\"", "\"rank_id\": 1",
     "$.server_group_list[1].server_list[0].device[0].rank_id: must be a string, found 1 [EI0014]"},
    {"\"rank_id\": \"0\",", "",
     "$.server_group_list[1].server_list[0].device[1].rank_id: must be there [EI0017]"},
    {"\"device_logical_id\": \"0\"", "\"device_logical_id\": \"x\"",
     "$.server_group_list[1].server_list[0].device[0].device_logical_id: must be a decimal number, "
     "without sign or leading zero, found "
     "\"x\" [EI0014]"},
    {"\"super_pod_id\"", "\"x\"",
     "$.server_group_list[1].super_pod_list[0].super_pod_id: must be there [EI0017]"},
    {"\"server_group_list\": [", "\"server_group_list\": [7, ",
     "$.server_group_list[0]: must be an object, found 7 [EI0004]"},
};

const SchemaCase schema_cases[] = {
    {"1.2", super_pods_text, super_pods_taken, super_pods_refused},
    {"cloud", cloud_text, cloud_taken, cloud_refused},
    {"lab", lab_text, lab_taken, lab_refused},
    {"2.0", rank_list_text, rank_list_taken, rank_list_refused},
    {"server_group", server_group_text, server_group_taken, server_group_refused},
};

TEST(Schemas, TakeWhatTheyAllow) {
  for (const SchemaCase& schema : schema_cases)
    for (const Edit& edit : schema.taken)
      EXPECT_NO_THROW(parse_any(apply(schema.text, edit), "t")) << schema.name << ": " << edit.to;
}

TEST(Schemas, RefuseWhatTheyAreNot) {
  for (const SchemaCase& schema : schema_cases)
    for (const Edit& edit : schema.refused)
      EXPECT_EQ(error_of([&] { parse_any(apply(schema.text, edit), "t"); }),
                std::string("t: ") + edit.message)
          << schema.name << ": " << edit.from << " -> " << edit.to;
}

template <typename SomeTable>
SomeTable parsed(const std::string& text) {
  return std::get<SomeTable>(parse_any(text, "t"));
}

TEST(SuperPods, ReadsDevicesServersAndPods) {
  const Table table = parse(super_pods_text, "t");
  EXPECT_EQ(table.version, "1.2");
  const Device& device = table.servers.at(0).devices.at(0);
  EXPECT_EQ(device.super_device_id, "4294967295");
  EXPECT_EQ(device.extras, (std::vector<Extra>{{"backup_device_ip", "\"192.168.1.7\""}}));
  EXPECT_EQ(table.super_pods, (std::vector<SuperPod>{{"pod_0", {{"node_0"}}}}));
  EXPECT_EQ(write(table), super_pods_text);
}

TEST(SuperPods, LeavesTheirFieldsAsTheyAreInVersion1Dot0) {
  const std::string text = apply(super_pods_text, {"\"1.2\"", "\"1.0\""});
  const Table table = parse(apply(text, {"\"4294967295\"", "7"}), "t");
  EXPECT_EQ(table.servers.at(0).devices.at(0).super_device_id, "");
  EXPECT_EQ(table.servers.at(0).devices.at(0).extras.at(0), (Extra{"super_device_id", "7"}));
  EXPECT_EQ(table.extras.at(0).name, "super_pod_list");
}

TEST(SuperPods, RemembersAServerCountThatIsWrong) {
  EXPECT_EQ(parse(apply(super_pods_text, {"\"1\"", "\"2\""}), "t").wrong_server_count, "2");
  EXPECT_EQ(parse(apply(super_pods_text, {"\"server_count\": \"1\",", ""}), "t").wrong_server_count,
            std::nullopt);
}

TEST(CloudSchema, ReadsGroupsInstancesAndDevices) {
  CloudTable wanted;
  wanted.groups = {{"hccl_world_group", {{"tf-bae41", "node_0", {{1, "192.168.1.9"}, {0, "192.168.1.8"}}}}}};
  EXPECT_EQ(parsed<CloudTable>(cloud_text), wanted);
  EXPECT_EQ(write(AnyTable(wanted)), cloud_text);
}

TEST(CloudSchema, RemembersCountsThatAreWrong) {
  std::string text = apply(cloud_text, {"\"group_count\": \"1\"", "\"group_count\": \"7\""});
  text = apply(text, {"\"instance_count\": \"1\"", "\"instance_count\": \"8\""});
  text = apply(text, {"\"device_count\": \"2\"", "\"device_count\": \"9\""});
  const CloudTable table = parsed<CloudTable>(text);
  EXPECT_EQ(table.wrong_group_count, "7");
  EXPECT_EQ(table.groups.at(0).wrong_instance_count, "8");
  EXPECT_EQ(table.groups.at(0).wrong_device_count, "9");
  EXPECT_EQ(write(AnyTable(table)), cloud_text);
}

TEST(LabSchema, ReadsGroupsAndInstances) {
  LabTable wanted;
  wanted.board_id = "0x0020";
  wanted.groups = {
      {"", {{{0, "192.1.27.6"}, 0, "10.155.111.140"}, {{1, "192.2.27.6"}, 1, "10.155.111.140"}}}};
  wanted.para_plane_nic_names = {"eth0", "eth1"};
  EXPECT_EQ(parsed<LabTable>(lab_text), wanted);
  EXPECT_EQ(write(AnyTable(wanted)), lab_text);
}

TEST(LabSchema, RemembersCountsThatAreWrong) {
  std::string text = apply(lab_text, {"\"group_count\": \"1\"", "\"group_count\": \"5\""});
  text = apply(text, {"\"device_num\": \"2\"", "\"device_num\": \"6\""});
  text = apply(text, {"\"server_num\": \"1\"", "\"server_num\": \"7\""});
  text = apply(text, {"\"instance_count\": \"2\"", "\"instance_count\": \"8\""});
  text = apply(text, {"\"para_plane_nic_num\": \"2\"", "\"para_plane_nic_num\": \"9\""});
  const LabTable table = parsed<LabTable>(text);
  EXPECT_EQ(table.wrong_group_count, "5");
  EXPECT_EQ(table.groups.at(0).wrong_device_num, "6");
  EXPECT_EQ(table.groups.at(0).wrong_server_num, "7");
  EXPECT_EQ(table.groups.at(0).wrong_instance_count, "8");
  EXPECT_EQ(table.wrong_nic_num, "9");
  EXPECT_EQ(write(AnyTable(table)), lab_text);
}

TEST(RankListSchema, ReadsRanksLayersAndAddresses) {
  RankEntry rank{0, 3, 2, 16666, 60001, {}};
  rank.layers = {{0,
                  "az0-rack0",
                  "TOPO_FILE_DESC",
                  "",
                  {{"EID", "000000000000000000100000dfdf0020", {"0/4", "0/5"}, "plane0"}}},
                 {3, "cluster", {}, {}, {{"IPV4", "192.168.100.101", {"d2h"}}}}};
  rank.extras = {{"control_plane", R"({"addr_type":"IPV4","addr":"192.168.100.100","listen_port":8000})"}};
  RankListTable wanted{{rank}, "completed", {{"detour", "\"true\""}}};
  EXPECT_EQ(parsed<RankListTable>(rank_list_text), wanted);
  EXPECT_EQ(write(AnyTable(wanted)), rank_list_text);
}

TEST(RankListSchema, RemembersARankCountThatIsWrong) {
  const RankListTable table =
      parsed<RankListTable>(apply(rank_list_text, {"\"rank_count\": 1", "\"rank_count\": 4"}));
  EXPECT_EQ(table.wrong_rank_count, 4);
  EXPECT_EQ(write(AnyTable(table)), rank_list_text);
}

TEST(RankListSchema, ReadsOnBehindErrors) {
  const ExaminedAny examined =
      examine_any(apply(rank_list_text, {"\"rank_id\": 0", "\"rank_id\": true"}), "t");
  ASSERT_EQ(examined.findings.size(), 1U);
  const RankEntry& rank = std::get<RankListTable>(examined.table).ranks.at(0);
  EXPECT_EQ(rank.rank_id, -1);
  EXPECT_EQ(rank.local_id, 3);
}

TEST(RankListSchema, TakesMoreTextThanTheOtherSchemas) {
  std::string text = rank_list_text;
  text.resize(max_text_bytes + 1, ' ');
  EXPECT_EQ(parsed<RankListTable>(text), parsed<RankListTable>(rank_list_text));
  text.resize(max_rank_list_text_bytes + 1, ' ');
  EXPECT_NE(error_of([&] { parse_any(text, "t.json"); }).find("or 256 MiB of version 2.0"),
            std::string::npos);
}

TEST(ServerGroupSchema, ReadsGroupsServersAndDevices) {
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
  EXPECT_EQ(parsed<ServerGroupTable>(server_group_text), wanted);
  EXPECT_EQ(write(AnyTable(wanted)), server_group_text);
}

TEST(ServerGroupSchema, RemembersCountsThatAreWrong) {
  const ServerGroupTable table = parsed<ServerGroupTable>(
      apply(server_group_text, {"\"server_count\": \"1\"", "\"server_count\": \"5\""}));
  EXPECT_EQ(table.groups.at(0).wrong_server_count, "5");
  EXPECT_FALSE(table.groups.at(1).wrong_server_count);
  EXPECT_EQ(write(AnyTable(table)), server_group_text);
}

TEST(ServerGroupSchema, IsOfThisSchemaWhateverItsVersion) {
  for (const char* version : {"1.0", "2.0", "1.1", "7"}) {
    const std::string field = "\"version\": \"" + std::string(version) + "\"";
    const Edit edit{"\"version\": \"1.2\"", field.c_str()};
    const std::string text = apply(server_group_text, edit);
    EXPECT_EQ(parsed<ServerGroupTable>(text).version, version);
  }
}

}  // namespace
}  // namespace adarun::ranktable
