// SPDX-License-Identifier: Apache-2.0
#include "tests/ranktable/rules/defects.h"

namespace adarun::ranktable {
namespace {

const std::string unique_rank = "a rank must be of one device only";
const std::string unique_address = "device_ip must be of one device only";
const std::string completed = "status must be \"completed\": HCCL waits 30 minutes for it";
const std::string one_line = "a name must hold no control characters";

}  // namespace

std::vector<Defect> defects_of_cloud() {
  using T = CloudTable;
  const T good = cloud(2, 2);
  const std::string one = "$.group_list[0].instance_list[1]";
  return {
      {with<T>(good, [](T& t) { t.status = "initializing"; }),
       {{error, "$.status", completed, "\"initializing\""}},
       {Profile::hccl, std::nullopt}},
      {with<T>(good, [](T& t) { t.groups.clear(); }),
       {{error, "$.group_list", "group_list must have at least one group", ""}}},
      {with<T>(good,
               [](T& t) {
                 t.groups.push_back(
                     {"job", {{"pod2", "10.0.0.3", {{0, card_address(2, 0)}, {1, card_address(2, 1)}}}}});
               }),
       {{error, "$.group_list[1].group_name", "a group_name must be of one group only",
         "\"job\", which $.group_list[0] has too"}}},
      {with<T>(good,
               [](T& t) {
                 t.groups.push_back({"other", {}});
               }),
       {{error, "$.group_list[1].instance_list", "a group must have at least one instance", ""}}},
      {with<T>(good,
               [](T& t) {
                 t.wrong_group_count = "2";
                 t.groups[0].wrong_instance_count = "x";
                 t.groups[0].wrong_device_count = "5";
               }),
       {{error, "$.group_count", "group_count must be the number of groups", "\"2\", where there are 1"},
        {error, "$.group_list[0].instance_count",
         "instance_count must be the number of instances in the group", "\"x\", where there are 2"},
        {error, "$.group_list[0].device_count", "device_count must be the number of devices in the group",
         "\"5\", where there are 4"}}},
      {with<T>(good, [](T& t) { t.groups[0].instances[1].pod_name = "pod0"; }),
       {{error, one + ".pod_name", "a pod_name must be of one instance only",
         "\"pod0\", which $.group_list[0].instance_list[0] has too"}}},
      {with<T>(good, [](T& t) { t.groups[0].instances[1].pod_name = ""; }),
       {{error, one + ".pod_name", "pod_name must not be empty", "\"\""}}},
      {with<T>(good, [](T& t) { t.groups[0].instances[1].pod_name = "pod1\n"; }),
       {{error, one + ".pod_name", one_line, "\"pod1\\n\"", ""}}},
      {with<T>(good, [](T& t) { t.groups[0].group_name = "job\x7f"; }),
       {{error, "$.group_list[0].group_name", one_line, "\"job\\u007f\"", ""}}},
      {with<T>(good, [](T& t) { t.groups[0].instances[1].devices.clear(); }),
       {{error, one + ".devices", "an instance must have at least one device", ""}}},
      {with<T>(good, [](T& t) { t.groups[0].instances[1].server_id = "-1"; }),
       {{error, one + ".server_id", "server_id must be an id, not a placeholder", "\"-1\""},
        {note, "$.group_list",
         "HCCL ranks by server_id in byte order, then by device_id, not in the order of the file",
         "rank 0 is device 0 of \"-1\"", ""}}},
      {with<T>(good, [](T& t) { t.groups[0].instances[1].server_id = "10.0.0.1"; }),
       {{note, "$.group_list",
         "HCCL ranks by server_id in byte order, then by device_id, not in the order of the file",
         "rank 0 is device 0 of \"10.0.0.1\"", ""},
        {error, one + ".devices[0].device_id", "a device_id must be of one device of its server only",
         "\"0\", which $.group_list[0].instance_list[0].devices[0] has too"},
        {error, one + ".devices[1].device_id", "a device_id must be of one device of its server only",
         "\"1\", which $.group_list[0].instance_list[0].devices[1] has too"}}},
      {with<T>(good, [](T& t) { t.groups[0].instances[1].devices[1].device_id = 8; }),
       {{error, one + ".devices[1].device_id", "device_id must be 0 to 7 in a group_list table", "\"8\""}},
       for_a3},
      {with<T>(good, [](T& t) { t.groups[0].instances[1].devices[1].device_ip = "192.168.0.1"; }),
       {{error, one + ".devices[1].device_ip", unique_address,
         "\"192.168.0.1\", which $.group_list[0].instance_list[0].devices[0] has too"}}},
      {with<T>(good, [](T& t) { t.groups[0].instances[0].server_id = "10.0.0.21"; }),
       {{note, "$.group_list",
         "HCCL ranks by server_id in byte order, then by device_id, not in the order of the file",
         "rank 0 is device 0 of \"10.0.0.2\"", ""}}},
  };
}

std::vector<Defect> defects_of_lab() {
  using T = LabTable;
  const T good = lab(2, 2);
  const std::string two = "$.group_list[0].instance_list[2]";
  return {
      {with<T>(good,
               [](T& t) {
                 t.board_id = "0x0030";
                 t.chip_info = "910B";
                 t.deploy_mode = "cloud";
                 t.para_plane_nic_location = "host";
               }),
       {{error, "$.board_id", "board_id must be \"0x0000\" (x86) or \"0x0020\" (arm)", "\"0x0030\""},
        {error, "$.chip_info", "chip_info must be \"910\"", "\"910B\""},
        {error, "$.deploy_mode", "deploy_mode must be \"lab\"", "\"cloud\""},
        {error, "$.para_plane_nic_location", "para_plane_nic_location must be \"device\"", "\"host\""}}},
      {with<T>(good,
               [](T& t) {
                 t.wrong_nic_num = "8";
                 t.wrong_group_count = "0";
                 t.groups[0].wrong_device_num = "8";
                 t.groups[0].wrong_server_num = "1";
                 t.groups[0].wrong_instance_count = "2";
               }),
       {{error, "$.para_plane_nic_num", "para_plane_nic_num must be the number of para_plane_nic_name",
         "\"8\", where there are 2"},
        {error, "$.group_count", "group_count must be the number of groups", "\"0\", where there are 1"},
        {error, "$.group_list[0].device_num", "device_num must be the number of devices in the group",
         "\"8\", where there are 4"},
        {error, "$.group_list[0].server_num", "server_num must be the number of servers in the group",
         "\"1\", where there are 2"},
        {error, "$.group_list[0].instance_count",
         "instance_count must be the number of instances, one for each device", "\"2\", where there are 4"}}},
      {with<T>(good, [](T& t) { t.groups[0].instances[2].rank_id = 1; }),
       {{error, two + ".rank_id", unique_rank,
         "\"1\", which $.group_list[0].instance_list[1].devices[0] has too"}}},
      {with<T>(good, [](T& t) { t.groups[0].instances[2].device.device_id = 1; }),
       {{error, "$.group_list[0].instance_list[3].devices[0].device_id",
         "a device_id must be of one device of its server only",
         "\"1\", which $.group_list[0].instance_list[2].devices[0] has too"}}},
      {with<T>(good, [](T& t) { t.groups[0].instances[2].device.device_ip = "-.-.-.-"; }),
       {{error, two + ".devices[0].device_ip", "device_ip must be an address, not a placeholder",
         "\"-.-.-.-\""}}},
      {with<T>(good, [](T& t) { t.groups[0].instances.pop_back(); }),
       {{warning, "$.group_list[0].instance_list[2].devices",
         "Ascend 910: all servers must have the same number of devices", "1 here and 2 on the first"}}},
      {with<T>(good, [](T&) {}), {{warning, "$", "A3: lab tables are Ascend 910's", "\"lab\"", ""}}, for_a3},
      {with<T>(good, [](T&) {}),
       {{error, "$", "Ascend 950: takes tables of version 2.0 alone", "\"lab\""}},
       {Profile::none, Generation::ascend950}},
  };
}

}  // namespace adarun::ranktable
