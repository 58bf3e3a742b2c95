// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tests/ranktable/rules/defects.h"

namespace adarun::ranktable {
namespace {

const std::string unique_rank = "a rank must be of one device only";
const std::string contiguous = "ranks must be 0 to one less than the number of devices";
const std::string together =
    "ranks of a server must follow one another, without those of another server between them";
const std::string unique_address = "device_ip must be of one device only";
const std::string completed = "status must be \"completed\": HCCL waits 30 minutes for it";
const std::string name_of_server =
    "server_id must hold letters, digits and . _ - : % alone, the first none of . - %";

}  // namespace

std::vector<Defect> defects_of_1_0() {
  using T = Table;
  const T good = cluster(2, 2);
  return {
      {with<T>(good, [](T& t) { t.servers.clear(); }),
       {{error, "$.server_list", "server_list must have at least one server", ""}}},
      {with<T>(good, [](T& t) { t.wrong_server_count = "3"; }),
       {{error, "$.server_count", "server_count must be the number of servers", "\"3\", where there are 2"}}},
      {with<T>(good, [](T& t) { t.status = "initializing"; }),
       {{warning, "$.status", completed, "\"initializing\""}}},
      {with<T>(good, [](T& t) { t.status = "done"; }), {{error, "$.status", completed, "\"done\""}}},
      {with<T>(good, [](T& t) { t.servers[0].server_id = ""; }),
       {{error, "$.server_list[0].server_id", "server_id must not be empty", "\"\""}}},
      {with<T>(good, [](T& t) { t.servers[0].server_id = std::string(65, 'n'); }),
       {{error, "$.server_list[0].server_id", "server_id must have at most 64 characters",
         "\"" + std::string(65, 'n') + "\""}}},
      {with<T>(good, [](T& t) { t.servers[0].server_id = "10.*.*.*"; }),
       {{error, "$.server_list[0].server_id", "server_id must be an id, not a placeholder", "\"10.*.*.*\""}}},
      {with<T>(good, [](T& t) { t.servers[0].server_id = "n1\n#SBATCH --wrap=x"; }),
       {{error, "$.server_list[0].server_id", name_of_server, "\"n1\\n#SBATCH --wrap=x\"", ""}}},
      {with<T>(good, [](T& t) { t.servers[0].server_id = "-oProxyCommand=x"; }),
       {{error, "$.server_list[0].server_id", name_of_server, "\"-oProxyCommand=x\"", ""}}},
      {with<T>(good, [](T& t) { t.servers[1].server_id = "10.0.0.1"; }),
       {{error, "$.server_list[1].server_id", "a server_id must be of one server only",
         "\"10.0.0.1\", which $.server_list[0] has too"}}},
      {with<T>(good, [](T& t) { t.servers[1].devices.clear(); }),
       {{error, "$.server_list[1].device", "a server must have at least one device", ""}}},
      {with<T>(good,
               [](T& t) {
                 t.servers[1].devices[1].extras = {{"device-ip", "\"10.0.0.1\""}};
               }),
       {{warning, "$.server_list[1].device[1].device-ip",
         "a field must be one of the schema, or one that other tools are known to write",
         "\"device-ip\", where device_ip may be meant", ""}}},
      {with<T>(good,
               [](T& t) {
                 t.servers[1].extras = {{"host_ip", "\"10.0.0\""}};
               }),
       {{error, "$.server_list[1].host_ip", "an address must be IPv4 or IPv6", "\"10.0.0\""}}},
      {with<T>(good,
               [](T& t) {
                 t.servers[1].devices[1].extras = {{"device_port", "\"0\""}, {"host_port", "\"80\""}};
               }),
       {{error, "$.server_list[1].device[1].device_port", "a port must be \"1\" to \"65535\"", "\"0\""},
        {warning, "$.server_list[1].device[1].host_port", "ports below 1024 are advised against", "\"80\"",
         ""}}},
      {with<T>(good, [](T& t) { t.servers[1].devices[1].device_id = 0; }),
       {{error, "$.server_list[1].device[1].device_id",
         "a device_id must be of one device of its server only",
         "\"0\", which $.server_list[1].device[0] has too"}}},
      {with<T>(good, [](T& t) { t.servers[1].devices[1].device_id = 32; }),
       {{error, "$.server_list[1].device[1].device_id", "device_id must be 0 to 31", "\"32\""},
        {error, "$.server_list[1].device[1].device_id", "A3: device_id must be 0 to 15", "\"32\""}},
       for_a3},
      {with<T>(good, [](T& t) { t.servers[1].devices[1].rank_id = 0; }),
       {{error, "$.server_list[1].device[1].rank_id", unique_rank,
         "\"0\", which $.server_list[0].device[0] has too"}}},
      {with<T>(good, [](T& t) { t.servers[1].devices[0].rank_id = 7; }),
       {{error, "$.server_list[1].device[0].rank_id", contiguous,
         "\"7\" of 4 devices, while none has rank 2"}}},
      {with<T>(good,
               [](T& t) { std::swap(t.servers[0].devices[1].rank_id, t.servers[1].devices[0].rank_id); }),
       {{error, "$.server_list[0].device[1].rank_id", together, "\"2\""},
        {error, "$.server_list[1].device[1].rank_id", together, "\"3\""}}},
      {with<T>(good, [](T& t) { t.servers[1].devices[0].device_ip = ""; }),
       {{error, "$.server_list[1].device[0].device_ip",
         "device_ip must be there, since other devices have one", "\"\""}}},
      {with<T>(good, [](T& t) { t.servers[1].devices[0].device_ip = "-.-.-.-"; }),
       {{error, "$.server_list[1].device[0].device_ip", "device_ip must be an address, not a placeholder",
         "\"-.-.-.-\""}}},
      {with<T>(good, [](T& t) { t.servers[1].devices[0].device_ip = "10.0"; }),
       {{error, "$.server_list[1].device[0].device_ip", "device_ip must be an IPv4 or IPv6 address",
         "\"10.0\""}}},
      {with<T>(good, [](T& t) { t.servers[1].devices[0].device_ip = "192.168.0.1"; }),
       {{error, "$.server_list[1].device[0].device_ip", unique_address,
         "\"192.168.0.1\", which $.server_list[0].device[0] has too"}}},
      {with<T>(good, [](T& t) { t.servers[1].devices[0].device_ip = "fe80::1"; }),
       {{error, "$.server_list[1].device[0].device_ip",
         "device_ip must be IPv4 throughout or IPv6 throughout", "\"fe80::1\", while the first is IPv4",
         "EI0001"}}},
  };
}

std::vector<Defect> defects_by_generation() {
  using T = Table;
  const auto held_to = [](Generation generation) { return ValidateOptions{Profile::none, generation}; };
  const T good = cluster(1, 4);
  return {
      {with<T>(good, [](T& t) { t.servers[0].devices[3].device_id = 8; }),
       {{error, "$.server_list[0].device[3].device_id", "Ascend 910: device_id must be 0 to 7", "\"8\""}},
       held_to(Generation::ascend910)},
      {with<T>(good, [](T& t) { t.servers[0].devices[3].device_id = 4; }),
       {{error, "$.server_list[0].device",
         "Ascend 910: two cards must be of one ring (0-3 or 4-7), four must be 0123, 4567, 0145, 0246, 0347, "
         "1256, "
         "1357 or 2367",
         "0124"}},
       held_to(Generation::ascend910)},
      {with<T>(good, [](T& t) { t.servers[0].devices.pop_back(); }),
       {{error, "$.server_list[0].device", "Ascend 910: a server must have 1, 2, 4 or 8 devices", "3"}},
       held_to(Generation::ascend910)},
      {with<T>(cluster(2, 9),
               [](T& t) { t.servers[0].devices.pop_back(), t.servers[1].devices[8].rank_id = 8; }),
       {{error, "$.server_list[1].device", "A2: each of several servers must have 1 to 8 devices", "9"},
        {warning, "$.server_list[1].device", "A2: equal numbers of devices on all servers are advised",
         "9 here and 8 on the first", ""}},
       held_to(Generation::a2)},
      {with<T>(good, [](T&) {}),
       {{error, "$.version", "Ascend 950: takes tables of version 2.0 alone", "\"1.0\""}},
       held_to(Generation::ascend950)},
      {plain_cluster(2, 4),
       {{error, "$.server_list", "HCCL does not take a table without a device_ip throughout (a plain table)",
         ""}},
       held_to(Generation::a2)},
      {with<T>(good, [](T& t) { t.servers[0].devices[1].device_ip = ""; }),
       {{warning, "$.server_list[0].device[1].device_ip",
         "device_ip must be there, since other devices have one", "\"\""}},
       held_to(Generation::a2)},
  };
}

std::vector<Defect> defects_of_1_2() {
  using T = Table;
  const T good = super_pods(2, 1, 2);
  const std::string id = ".super_device_id";
  return {
      {with<T>(good, [](T& t) { t.super_pods.clear(); }),
       {{warning, "$.super_pod_list",
         "super_pod_list is advised in version 1.2: without it HCCL knows no super pods", "", ""}}},
      {with<T>(good,
               [](T& t) {
                 t.super_pods.clear();
                 t.servers[0].devices[1].super_device_id = "";
               }),
       {{warning, "$.super_pod_list",
         "super_pod_list is advised in version 1.2: without it HCCL knows no super pods", "", ""}}},
      {with<T>(good, [](T& t) { t.super_pods[0].super_pod_id = ""; }),
       {{error, "$.super_pod_list[0].super_pod_id", "super_pod_id must not be empty", "\"\""}}},
      {with<T>(good, [](T& t) { t.super_pods[1].super_pod_id = std::string(128, 'p'); }),
       {{error, "$.super_pod_list[1].super_pod_id", "super_pod_id must have at most 127 characters",
         "\"" + std::string(79, 'p') + "..."}}},
      {with<T>(good, [](T& t) { t.super_pods[0].super_pod_id = "pod\x1b[2J"; }),
       {{error, "$.super_pod_list[0].super_pod_id", "a name must hold no control characters",
         "\"pod\\u001b[2J\"", ""}}},
      {with<T>(good, [](T& t) { t.super_pods[1].super_pod_id = "pod0"; }),
       {{error, "$.super_pod_list[1].super_pod_id", "a super_pod_id must be of one super pod only",
         "\"pod0\", which $.super_pod_list[0] has too"}}},
      {with<T>(good, [](T& t) { t.servers[1].server_id = ""; }),
       {{error, "$.server_list[1].server_id", "server_id must not be empty", "\"\""}}},
      {with<T>(good, [](T& t) { t.super_pods[0].servers.push_back({"10.0.0.9"}); }),
       {{error, "$.super_pod_list[0].server_list[1].server_id",
         "a super pod must name servers of the server_list alone", "\"10.0.0.9\""},
        {warning, "$.super_pod_list[1].server_list",
         "A3: equal numbers of servers in all super pods are advised", "1 here and 2 in the first", ""}}},
      {with<T>(good, [](T& t) { t.super_pods[1].servers[0].server_id = "10.0.0.1"; }),
       {{error, "$.super_pod_list[1].server_list[0].server_id", "a server must be in one super pod only",
         "\"10.0.0.1\", which $.super_pod_list[0] has too"},
        {error, "$.server_list[1].server_id", "every server must be in a super pod", "\"10.0.0.2\""}}},
      {with<T>(good,
               [](T& t) {
                 t.super_pods[1].servers.clear();
                 t.super_pods[0].servers.push_back({"10.0.0.2"});
               }),
       {{error, "$.super_pod_list[1].server_list", "a super pod must have at least one server", ""},
        {warning, "$.super_pod_list[1].server_list",
         "A3: equal numbers of servers in all super pods are advised", "0 here and 2 in the first", ""}}},
      {with<T>(good, [](T& t) { t.servers[0].devices[1].super_device_id = ""; }),
       {{error, "$.server_list[0].device[1]" + id,
         "super_device_id must be there where there is a super_pod_list", "", "EI0017"}}},
      {with<T>(good, [](T& t) { t.servers[0].devices[1].super_device_id = "4294967295"; }),
       {{error, "$.server_list[0].device[1]" + id,
         "super_device_id must be a decimal number, 0 to 4294967294", "\"4294967295\""}}},
      {with<T>(good, [](T& t) { t.servers[0].devices[1].super_device_id = "0x10"; }),
       {{error, "$.server_list[0].device[1]" + id,
         "super_device_id must be a decimal number, 0 to 4294967294", "\"0x10\""}}},
      {with<T>(good, [](T& t) { t.servers[0].devices[1].super_device_id = "100"; }),
       {{error, "$.server_list[0].device[1]" + id,
         "a super_device_id must be of one device of its super pod only",
         "\"100\", which $.server_list[0].device[0] has too"}}},
      {with<T>(
           good,
           [](T& t) {
             t.servers[0].devices[0].extras = {{"backup_device_ip", "\"x\""}, {"backup_device_port", "7"}};
           }),
       {{error, "$.server_list[0].device[0].backup_device_ip", "an address must be IPv4 or IPv6", "\"x\""},
        {error, "$.server_list[0].device[0].backup_device_port", "a port must be \"1\" to \"65535\"", "7"}}},
      {with<T>(good, [](T&) {}),
       {{warning, "$.version", "A2: version 1.2 is for the super pods of A3", "\"1.2\"", ""}},
       {Profile::none, Generation::a2}},
  };
}

}  // namespace adarun::ranktable
