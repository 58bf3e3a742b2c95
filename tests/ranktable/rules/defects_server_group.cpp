// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tests/ranktable/rules/defects.h"

namespace adarun::ranktable {
namespace {

const std::string list = "$.server_group_list";
const std::string one = list + "[1].server_list[0]";
const std::string of_hosts = "server_ip and container_ip must be an address or the name of a host";

}  // namespace

std::vector<Defect> defects_of_server_group() {
  using T = ServerGroupTable;
  const T good = server_group(2, 2);
  return {
      {with<T>(good,
               [](T& t) {
                 t.version = "2.1";
                 t.status = "busy";
               }),
       {{error, "$.version", "version of a server_group table must be \"1.0\" or \"1.2\"", "\"2.1\"", ""},
        {error, "$.status", "status of a server_group table must be \"completed\": programs wait for it",
         "\"busy\"", ""}}},
      {with<T>(good, [](T& t) { t.status = "initializing"; }),
       {{warning, "$.status", "status of a server_group table must be \"completed\": programs wait for it",
         "\"initializing\"", ""}}},
      {with<T>(good, [](T& t) { t.version = t.status = ""; }),
       {{warning, "$.status", "status is advised: programs wait for \"completed\"", "", ""}}},
      {with<T>(good, [](T&) {}),
       {{error, "$", "HCCL does not read a server_group table", "", ""}},
       {Profile::hccl, std::nullopt}},
      {with<T>(good, [](T& t) { t.groups.clear(); }),
       {{error, list, "server_group_list must have at least one group", "", ""}}},
      {with<T>(good, [](T& t) { t.groups.resize(1); }),
       {{error, list, "at least one group must have a device", "", ""}}},
      {with<T>(good, [](T& t) { t.groups[1].group_id = "prefill"; }),
       {{error, list + "[1].group_id", "group_id must be a decimal number", "\"prefill\"", ""}}},
      {with<T>(good, [](T& t) { t.groups[2].group_id = "1"; }),
       {{error, list + "[2].group_id", "a group_id must be of one group only",
         "\"1\", which $.server_group_list[1] has too", ""}}},
      {with<T>(good, [](T& t) { t.groups.erase(t.groups.begin()); }),
       {{warning, list, "a group 0 is advised: programs look for their router or coordinator there", "",
         ""}}},
      {with<T>(good, [](T& t) { t.groups[1].wrong_server_count = "x"; }),
       {{error, list + "[1].server_count", "server_count must be the number of servers in the group",
         "\"x\", where there are 1", ""}}},
      {with<T>(good, [](T& t) { t.groups[1].servers.clear(); }),
       {{warning, list + "[1].server_list", "a group is advised to have a server", "", ""}}},
      {with<T>(good,
               [](T& t) {
                 t.groups[1].servers.push_back({"10.0.0.9", "10.0.0.9"});
               }),
       {{error, list + "[1].server_list[1]", "the servers of a group must all have devices, or none of them",
         "no devices", ""}}},
      {with<T>(good, [](T& t) { t.groups[1].servers[0].server_ip = ""; }),
       {{error, one + ".server_ip", "server_ip must be there", "", ""}}},
      {with<T>(good, [](T& t) { t.groups[1].servers[0].server_ip = "-.-.-.-"; }),
       {{error, one + ".server_ip", of_hosts, "\"-.-.-.-\"", ""}}},
      {with<T>(good, [](T& t) { t.groups[1].servers[0].container_ip = "a b"; }),
       {{error, one + ".container_ip", of_hosts, "\"a b\"", ""}}},
      {with<T>(good, [](T& t) { t.groups[1].servers[0].server_ip = "node1"; }),
       {{warning, one + ".server_ip", "server_ip and container_ip are advised to be IPv4 or IPv6 addresses",
         "\"node1\"", ""}}},
      {with<T>(good, [](T& t) { t.groups[1].servers[0].server_id = ""; }),
       {{error, one + ".server_id", "server_id must not be empty", "\"\""}}},
      {with<T>(good, [](T& t) { t.groups[0].servers[0].server_id = "-x"; }),
       {{error, list + "[0].server_list[0].server_id",
         "server_id must hold letters, digits and . _ - : % alone, the first none of . - %", "\"-x\"", ""}}},
      {with<T>(good,
               [](T& t) {
                 t.groups[1].super_pods = {{"0", {{"10.0.0.2"}}}};
               }),
       {{error, list + "[1].super_pod_list[0].server_list[0].server_id",
         "super_pod_list of a group must name servers of the group alone", "\"10.0.0.2\"", ""}}},
      {with<T>(
           good,
           [](T& t) {
             t.groups[1].super_pods = {{"0", {{"10.0.0.1"}, {"10.0.0.1"}}}, {"1", {{"10.0.0.1"}}}, {"0", {}}};
           }),
       {{error, list + "[1].super_pod_list[2].super_pod_id", "a super_pod_id must be of one super pod only",
         "\"0\", which $.server_group_list[1].super_pod_list[0] has too"},
        {error, list + "[1].super_pod_list[2].server_list", "a super pod must have at least one server", ""},
        {error, list + "[1].super_pod_list[0].server_list[1].server_id",
         "a server must be in one super pod only",
         "\"10.0.0.1\", which $.server_group_list[1].super_pod_list[0] has too"},
        {error, list + "[1].super_pod_list[1].server_list[0].server_id",
         "a server must be in one super pod only",
         "\"10.0.0.1\", which $.server_group_list[1].super_pod_list[0] has too"}}},
      {with<T>(good,
               [](T& t) {
                 t.groups[1].super_pods = {{"0", {{"10.0.0.1"}}}};
                 for (GroupDevice& device : t.groups[1].servers[0].devices) device.super_device_id = "7";
               }),
       {{error, one + ".device[1].super_device_id",
         "a super_device_id must be of one device of its super pod only",
         "\"7\", which $.server_group_list[1].server_list[0].device[0] has too"}}},
      {with<T>(good, [](T& t) { t.groups[1].servers[0].devices[0].super_device_id = "4294967295"; }),
       {{error, one + ".device[0].super_device_id",
         "a super_device_id of a server_group table must be a decimal number, 0 to 4294967294",
         "\"4294967295\"", ""}}},
      {with<T>(good, [](T& t) { t.groups[1].servers[0].devices[0].device_id = 32; }),
       {{error, one + ".device[0].device_id", "device_id must be 0 to 31 in a server_group table", "\"32\"",
         ""},
        {warning, one + ".device[0].device_id", "A2: device_id must be 0 to 15", "\"32\""},
        {warning, one + ".device[0].device_id", "A3: device_id must be 0 to 15", "\"32\""}}},
      {with<T>(good, [](T& t) { t.groups[2].servers[0].server_id = "10.0.0.1"; }),
       {{error, list + "[2].server_list[0].device[0].device_id",
         "a device_id must be of one device of its server only",
         "\"0\", which $.server_group_list[1].server_list[0].device[0] has too"},
        {error, list + "[2].server_list[0].device[1].device_id",
         "a device_id must be of one device of its server only",
         "\"1\", which $.server_group_list[1].server_list[0].device[1] has too"}}},
      {with<T>(good, [](T& t) { t.groups[2].servers[0].devices[0].device_ip = card_address(0, 0); }),
       {{error, list + "[2].server_list[0].device[0].device_ip", "device_ip must be of one device only",
         "\"192.168.0.1\", which $.server_group_list[1].server_list[0].device[0] has too"}}},
      {with<T>(good, [](T& t) { t.groups[2].servers[0].devices[1].rank_id = 0; }),
       {{error, list + "[2].server_list[0].device[1].rank_id",
         "a rank must be of one device of its group only",
         "\"0\", which $.server_group_list[2].server_list[0].device[0] has too"}}},
      {with<T>(good,
               [](T& t) {
                 for (GroupDevice& device : t.groups[2].servers[0].devices) device.rank_id += 2;
               }),
       {{error, list + "[2].server_list[0].device[0].rank_id",
         "ranks of a group must be 0 to one less than the number of its devices",
         "\"2\" of 2 devices, while none has rank 0"},
        {error, list + "[2].server_list[0].device[1].rank_id",
         "ranks of a group must be 0 to one less than the number of its devices",
         "\"3\" of 2 devices, while none has rank 0"}}},
      {with<T>(server_group(4, 2),
               [](T& t) {
                 std::swap(t.groups[1].servers[0].devices[1].rank_id,
                           t.groups[1].servers[1].devices[0].rank_id);
               }),
       {{error, list + "[1].server_list[0].device[1].rank_id",
         "ranks of a server in a group must follow one another, without those of another server between them",
         "\"2\""},
        {error, list + "[1].server_list[1].device[1].rank_id",
         "ranks of a server in a group must follow one another, without those of another server between them",
         "\"3\""}}},
      {with<T>(good, [](T&) {}),
       {{warning, "$", "Ascend 910: server_group tables are A2's and A3's", "\"server_group\"", ""}},
       {Profile::none, Generation::ascend910}},
      {with<T>(good, [](T&) {}),
       {{warning, "$", "Ascend 950: server_group tables are A2's and A3's", "\"server_group\"", ""}},
       {Profile::none, Generation::ascend950}},
  };
}

}  // namespace adarun::ranktable
