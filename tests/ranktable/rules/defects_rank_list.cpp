// SPDX-License-Identifier: Apache-2.0
#include "tests/ranktable/rules/defects.h"

namespace adarun::ranktable {
namespace {

const std::string unique_rank = "a rank must be of one device only";
const std::string contiguous = "ranks must be 0 to one less than the number of devices";

}  // namespace

std::vector<Defect> defects_of_2_0() {
  using T = RankListTable;
  const T good = rank_list(2, 2);
  const std::string one = "$.rank_list[1]";
  const std::string level = one + ".level_list[1]";
  const std::string address = level + ".rank_addr_list[0]";
  return {
      {with<T>(good, [](T& t) { t.wrong_rank_count = 5; }),
       {{error, "$.rank_count", "rank_count must be the number of ranks", "5, where there are 4"}}},
      {with<T>(good, [](T& t) { t.ranks.clear(); }),
       {{error, "$.rank_list", "rank_list must have 1 to 65536 ranks", "0"}}},
      {with<T>(good, [](T& t) { t.ranks[1].rank_id = 0; }),
       {{error, one + ".rank_id", unique_rank, "0, which $.rank_list[0] has too"}}},
      {with<T>(good, [](T& t) { t.ranks[1].rank_id = 4; }),
       {{error, one + ".rank_id", contiguous, "4 of 4 devices, while none has rank 1"}}},
      {with<T>(good,
               [](T& t) {
                 t.ranks[1].local_id = 65;
                 t.ranks[1].device_id = 66;
                 t.ranks[1].device_port = 0;
                 t.ranks[1].host_port = 1023;
               }),
       {{error, one + ".local_id", "local_id must be 0 to 64", "65"},
        {error, one + ".device_id", "device_id must be 0 to 64", "66"},
        {error, one + ".device_port", "a port must be 1 to 65535", "0"},
        {warning, one + ".host_port", "ports below 1024 are advised against", "1023", ""}}},
      {with<T>(good, [](T& t) { t.ranks[1].layers.clear(); }),
       {{error, one + ".level_list", "level_list must have 1 to 8 levels", "0"}}},
      {with<T>(good, [](T& t) { t.ranks[1].layers[1].net_layer = 8; }),
       {{error, level + ".net_layer", "net_layer must be 0 to 7", "8"}}},
      {with<T>(good, [](T& t) { t.ranks[1].layers[1].net_layer = 0; }),
       {{error, level + ".net_layer", "net_layer must rise from level to level", "0 behind 0"}}},
      {with<T>(good, [](T& t) { t.ranks[1].layers[0].net_instance_id = "rack 1"; }),
       {{error, "$.rank_list[1].level_list[0].net_instance_id",
         "net_instance_id of layer 0 must hold letters, digits and . _ - : % alone, the first none of . - %",
         "\"rack 1\"", ""}}},
      {with<T>(good, [](T& t) { t.ranks[1].layers[1].net_instance_id = "pod\r"; }),
       {{error, level + ".net_instance_id", "a name must hold no control characters", "\"pod\\r\"", ""}}},
      {with<T>(good, [](T& t) { t.ranks[1].layers[1].net_instance_id = ""; }),
       {{error, level + ".net_instance_id", "net_instance_id must not be empty", "\"\""}}},
      {with<T>(good, [](T& t) { t.ranks[1].layers[1].addresses.clear(); }),
       {{warning, level + ".rank_addr_list", "rank_addr_list is advised to have an address", "0", ""}}},
      {with<T>(good,
               [](T& t) {
                 std::vector<RankAddress>& all = t.ranks[1].layers[1].addresses;
                 all.resize(25, all.front());
               }),
       {{error, level + ".rank_addr_list", "rank_addr_list must have at most 24 addresses", "25"}}},
      {with<T>(good, [](T& t) { t.ranks[1].layers[1].addresses[0].addr_type = "ipv4"; }),
       {{error, address + ".addr_type", "addr_type must be EID, IPV4 or IPV6", "\"ipv4\""}}},
      {with<T>(good,
               [](T& t) {
                 t.ranks[1].layers[1].addresses[0] = {"EID", "0x" + std::string(30, 'a'), {"0/1"}};
               }),
       {{error, address + ".addr", "an EID must have 32 hex digits", "\"0x" + std::string(30, 'a') + "\""}}},
      {with<T>(good, [](T& t) { t.ranks[1].layers[1].addresses[0].addr = "fe80::1"; }),
       {{error, address + ".addr", "an address of type IPV4 must be an IPv4 address", "\"fe80::1\""}}},
      {with<T>(good, [](T& t) { t.ranks[1].layers[1].addresses[0].addr_type = "IPV6"; }),
       {{error, address + ".addr", "an address of type IPV6 must be an IPv6 address", "\"192.168.0.2\""}}},
      {with<T>(good, [](T& t) { t.ranks[1].layers[1].addresses[0].ports.assign(17, "0/1"); }),
       {{error, address + ".ports", "an address must have 1 to 16 ports", "17"}}},
      {with<T>(good, [](T&) {}),
       {{error, "$.version", "A3: takes no table of version 2.0, which is Ascend 950's", "\"2.0\""}},
       for_a3},
  };
}

}  // namespace adarun::ranktable
