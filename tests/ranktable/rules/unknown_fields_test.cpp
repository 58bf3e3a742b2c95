// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "ranktable/validate.h"
#include "tests/ranktable/good_tables.h"
#include "tests/ranktable/schema_texts.h"

namespace adarun::ranktable {
namespace {

const std::string rule =
    ": a field must be one of the schema, or one that other tools are known to write, found ";

std::vector<std::string> warnings_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const Finding& finding : validate_text(text, "t.json").findings)
    if (finding.severity == Severity::warning) lines.push_back(describe(finding));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(UnknownFields, AreNamedWithWhatWasProbablyMeantInEverySchema) {
  const struct {
    std::string text;
    Edit edit;
    std::string path;
    std::string found;
  } cases[] = {
      {two_cards,
       {"\"host_nic_ip\"", "\"host_nicip\""},
       "$.server_list[0].host_nicip",
       "\"host_nicip\", where host_nic_ip may be meant"},
      {two_cards,
       {"\"device_ip\"", "\"deviceIp\""},
       "$.server_list[0].device[0].deviceIp",
       "\"deviceIp\", where device_ip may be meant"},
      {two_cards, {"\"version\"", "\"owner\": \"me\", \"version\""}, "$.owner", "\"owner\""},
      {two_cards,
       {"\"version\"", "\"x\\u001b[2J\": 1, \"version\""},
       "$[\"x\\u001b[2J\"]",
       "\"x\\u001b[2J\""},
      {super_pods_text,
       {"\"super_pod_id\"", "\"pods\": 1, \"super_pod_id\""},
       "$.super_pod_list[0].pods",
       "\"pods\""},
      {super_pods_text,
       {"\"super_pod_list\"", "\"super_pods_list\""},
       "$.super_pods_list",
       "\"super_pods_list\", where super_pod_list may be meant"},
      {cloud_text,
       {"\"group_name\"", "\"group-name\""},
       "$.group_list[0].group-name",
       "\"group-name\", where group_name may be meant"},
      {cloud_text,
       {"\"device_ip\"", "\"device-ip\""},
       "$.group_list[0].instance_list[0].devices[0].device-ip",
       "\"device-ip\", where device_ip may be meant"},
      {lab_text,
       {"\"rank_id\"", "\"rankid\": \"0\", \"rank_id\""},
       "$.group_list[0].instance_list[0].rankid",
       "\"rankid\", where rank_id may be meant"},
      {lab_text,
       {"\"device_ip\"", "\"deviceip\""},
       "$.group_list[0].instance_list[0].devices[0].deviceip",
       "\"deviceip\", where device_ip may be meant"},
      {rank_list_text,
       {"\"device_port\"", "\"devices_port\""},
       "$.rank_list[0].devices_port",
       "\"devices_port\", where device_port may be meant"},
      {rank_list_text,
       {"\"net_type\"", "\"nettype\""},
       "$.rank_list[0].level_list[0].nettype",
       "\"nettype\", where net_type may be meant"},
      {super_pods_text,
       {"\"device_ip\"", "\"device-port\": \"1\", \"device_ip\""},
       "$.server_list[0].device[0].device-port",
       "\"device-port\", where device_port may be meant"},
      {rank_list_text,
       {"\"plane_id\"", "\"plane\""},
       "$.rank_list[0].level_list[0].rank_addr_list[0].plane",
       "\"plane\", where plane_id may be meant"},
      {server_group_text, {"\"status\"", "\"state\""}, "$.state", "\"state\""},
      {server_group_text,
       {"\"deploy_server\"", "\"deploy-server\""},
       "$.server_group_list[1].deploy-server",
       "\"deploy-server\", where deploy_server may be meant"},
      {server_group_text,
       {"\"container_ip\"", "\"containerip\""},
       "$.server_group_list[1].server_list[0].containerip",
       "\"containerip\", where container_ip may be meant"},
      {server_group_text,
       {"\"device_logical_id\"", "\"logical_id\""},
       "$.server_group_list[1].server_list[0].device[0].logical_id",
       "\"logical_id\""},
      {server_group_text,
       {"\"super_pod_id\"", "\"pods\": 1, \"super_pod_id\""},
       "$.server_group_list[1].super_pod_list[0].pods",
       "\"pods\""},
  };
  for (const auto& each : cases) {
    const Lines lines = warnings_of(apply(each.text, each.edit));
    EXPECT_NE(std::find(lines.begin(), lines.end(), each.path + rule + each.found), lines.end())
        << each.path << ": " << testing::PrintToString(lines);
  }
}

TEST(UnknownFields, AreWarnedOfBesideTheErrorOfTheFieldThatIsMissing) {
  const std::vector<Finding> findings =
      validate_text(edited("\"device_id\"", "\"device-id\""), "t.json").findings;
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(describe(findings[0]), "$.server_list[0].device[0].device_id: must be there [EI0017]");
  EXPECT_EQ(describe(findings[1]),
            "$.server_list[0].device[0].device-id" + rule + "\"device-id\", where device_id may be meant");
  EXPECT_EQ(findings[1].severity, Severity::warning);
}

TEST(UnknownFields, AreNoneThatOtherToolsWrite) {
  Table table = super_pods(1, 2, 2);
  for (const char* name :
       {"server_ip", "container_ip", "pod_ip", "hardware_type", "dpu_ip", "numa_id", "_note"})
    table.servers[0].extras.push_back({name, "\"10.0.0.1\""});
  for (const char* name : {"device_port", "host_port", "device_vnic_port", "backup_device_port"})
    table.servers[0].devices[0].extras.push_back({name, "\"16666\""});
  for (const char* name : {"device_logical_id", "dpu_ip", "numa_id", "net_position", "net_protocol",
                           "comment", "tor_ip", "tor_port"})
    table.servers[0].devices[0].extras.push_back({name, "\"0\""});
  table.extras = {{"data_version", "3"}, {"cluster_list", "[]"}, {"IsMindIEEPJob", "true"}};
  EXPECT_EQ(validate(table).size(), 0U);
  RankListTable list = rank_list(1, 2);
  // ascend-operator writes the last two, empty.
  list.extras = {
      {"detour", "\"true\""}, {"task_id", "\"t\""}, {"server_list", "[]"}, {"server_count", "\"\""}};
  list.ranks[0].extras = {{"control_plane", "{}"}, {"replaced_local_id", "1"}};
  list.ranks[0].layers[0].extras = {{"control_plane", "{}"}, {"pcie_fallback", "true"}};
  EXPECT_EQ(validate(AnyTable(list)).size(), 0U);
  LabTable lab_table = lab(1, 2);
  lab_table.groups[0].extras = {{"server_list", "[]"}};
  lab_table.groups[0].instances[0].device.extras = {{"ref_ip", "\"10.0.0.1\""}};
  EXPECT_EQ(validate(AnyTable(lab_table)).size(), 0U);
  ServerGroupTable groups = server_group(2, 2);
  groups.groups[1].servers[0].extras = {{"deploy_server", "\"0\""}};
  EXPECT_EQ(validate(AnyTable(groups)).size(), 0U);
}

TEST(UnknownFields, OfAHostileTableAreNamedInTime) {
  Table table = cluster(1, 8);
  for (int i = 0; i < 100'000; ++i) table.servers[0].extras.push_back({"server_i" + std::to_string(i), "1"});
  table.servers[0].extras.push_back({std::string(1'000'000, 's'), "1"});
  const std::vector<Finding> findings = validate(table);
  ASSERT_EQ(findings.size(), 100'001U);
  EXPECT_LT(findings.back().path.size(), 200U);
}

}  // namespace
}  // namespace adarun::ranktable
