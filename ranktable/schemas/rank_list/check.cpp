// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "ranktable/model/address.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/rules/device_index.h"
#include "ranktable/rules/rules.h"
#include "ranktable/rules/unknown_fields.h"
#include "ranktable/schemas/rank_list/schema.h"

namespace adarun::ranktable {
namespace {

constexpr std::size_t max_ranks = 65536;
constexpr int max_id = 64;
constexpr int max_net_layer = 7;
constexpr std::size_t max_levels = 8;
constexpr std::size_t max_addresses = 24;
constexpr std::size_t max_ports = 16;
constexpr std::size_t eid_digits = 32;

constexpr Rule count_is_right{"rank_count must be the number of ranks", "EI0014",
                              "write the number of entries in rank_list, as a number"};
constexpr Rule list_fits{"rank_list must have 1 to 65536 ranks", "EI0014", "split the job, or add its ranks"};
constexpr Rule local_id{"local_id must be 0 to 64", "EI0014", "write the number of the device in its server"};
constexpr Rule device_id{"device_id must be 0 to 64", "EI0014", "write the physical id of the device"};
constexpr Rule port{"a port must be 1 to 65535", "EI0014", "write a free port as a number, such as 16666"};
constexpr Rule high_port{"ports below 1024 are advised against", "", "write a free port from 1024 on",
                         Severity::warning};
constexpr Rule levels{"level_list must have 1 to 8 levels", "EI0014",
                      "list the layers of the network that the rank is on"};
constexpr Rule layer{"net_layer must be 0 to 7", "EI0014", "number the layers from 0"};
constexpr Rule layers_rise{"net_layer must rise from level to level", "EI0014",
                           "list each layer once, the lowest first"};
constexpr Rule instance{"net_instance_id must not be empty", "EI0014",
                        "write which part of that layer the rank is on, such as its server on layer 0"};
constexpr Rule server{
    "net_instance_id of layer 0 must hold letters, digits and . _ - : % alone, the first none of . - %", "",
    "write the server's address or name: it becomes a host's name, a word of commands and a line of scripts"};
constexpr Rule addresses{"rank_addr_list must have at most 24 addresses", "EI0014",
                         "list the addresses of the rank on that layer"};
// As ascend-operator writes it for a layer that the card has no port of; HCCL's parser takes it.
constexpr Rule has_address{"rank_addr_list is advised to have an address", "",
                           "list the addresses of the rank on that layer, or leave the layer out",
                           Severity::warning};
constexpr Rule type{"addr_type must be EID, IPV4 or IPV6", "EI0014", "write what kind of address it is"};
constexpr Rule eid{"an EID must have 32 hex digits", "EI0014",
                   "write all 32 hex digits, without 0x or colons"};
constexpr Rule ipv4{"an address of type IPV4 must be an IPv4 address", "EI0014",
                    "write the address in full, or the addr_type that it has"};
constexpr Rule ipv6{"an address of type IPV6 must be an IPv6 address", "EI0014",
                    "write the address in full, or the addr_type that it has"};
constexpr Rule ports{"an address must have 1 to 16 ports", "EI0014",
                     "list the ports that have this address, such as \"0/1\""};

constexpr Rule takes_version_1{"takes no table of version 2.0, which is Ascend 950's", "EI0014",
                               "make it one of version 1.0: adarun ranktable convert --to 1.0"};

constexpr SchemaForm form{.name = "2.0",
                          .lists = {"rank_list"},
                          .rank_depth = 1,
                          .has_text_ids = false,
                          .has_servers = false,
                          .schema_path = "$.version",
                          .generations = {false, false, false, true},
                          .of_other_generations = &takes_version_1};

bool is_eid(std::string_view text) {
  return text.size() == eid_digits &&
         std::all_of(text.begin(), text.end(), [](unsigned char digit) { return std::isxdigit(digit) != 0; });
}

// A place in a table, converted to text only for a finding, because most ranks have none.
struct RankPlace {
  std::size_t rank = 0;
  std::size_t level = 0;
  std::size_t address = 0;

  std::string of_rank() const { return item_path("$.rank_list", rank); }
  std::string of_level() const { return item_path(of_rank() + ".level_list", level); }
  std::string of_address() const { return item_path(of_level() + ".rank_addr_list", address); }
};

void check_id(int id, const Rule& rule, const std::string& field, const RankPlace& place,
              Findings& findings) {
  if (id > max_id) report(findings, rule, place.of_rank() + "." + field, std::to_string(id));
}

void check_port(const std::optional<int>& number, const char* field, const RankPlace& place,
                Findings& findings) {
  // Negative numbers stand for unreadable values; see validate.h.
  if (!number || *number < 0 || (*number >= 1024 && *number <= 65535)) return;
  const bool advised_against = *number >= 1 && *number < 1024;
  report(findings, advised_against ? high_port : port, place.of_rank() + "." + field,
         std::to_string(*number));
}

void check_address(const RankAddress& address, const RankPlace& place, Findings& findings) {
  const auto parsed = parse_address(address.addr);
  const std::string& kind = address.addr_type;
  const auto wrong = [&](const Rule& rule) {
    report(findings, rule, place.of_address() + ".addr", in_quotes(address.addr));
  };
  if (kind == "EID") {
    if (!is_eid(address.addr)) wrong(eid);
  } else if (kind == "IPV4") {
    if (!parsed || parsed->family != AddressFamily::ipv4) wrong(ipv4);
  } else if (kind == "IPV6") {
    if (!parsed || parsed->family != AddressFamily::ipv6) wrong(ipv6);
  } else {
    report(findings, type, place.of_address() + ".addr_type", in_quotes(kind));
  }
  if (address.ports.empty() || address.ports.size() > max_ports)
    report(findings, ports, place.of_address() + ".ports", std::to_string(address.ports.size()));
}

void check_level(const NetLayer& level, int layer_below, RankPlace place, Findings& findings) {
  if (level.net_layer > max_net_layer)
    report(findings, layer, place.of_level() + ".net_layer", std::to_string(level.net_layer));
  if (level.net_layer >= 0 && level.net_layer <= layer_below)
    report(findings, layers_rise, place.of_level() + ".net_layer",
           std::to_string(level.net_layer) + " behind " + std::to_string(layer_below));
  if (level.net_instance_id.empty())
    report(findings, instance, place.of_level() + ".net_instance_id", "\"\"");
  else if (level.net_layer == 0 && !is_server_name(level.net_instance_id))
    report(findings, server, place.of_level() + ".net_instance_id", in_quotes(level.net_instance_id));
  else if (has_control_characters(level.net_instance_id))
    check_name(level.net_instance_id, place.of_level() + ".net_instance_id", findings);
  const Rule& wrong_count = level.addresses.empty() ? has_address : addresses;
  if (level.addresses.empty() || level.addresses.size() > max_addresses)
    report(findings, wrong_count, place.of_level() + ".rank_addr_list",
           std::to_string(level.addresses.size()));
  for (; place.address < level.addresses.size(); ++place.address)
    check_address(level.addresses[place.address], place, findings);
}

void check_rank(const RankEntry& rank, RankPlace place, Findings& findings) {
  check_id(rank.local_id, local_id, "local_id", place, findings);
  check_id(rank.device_id, device_id, "device_id", place, findings);
  check_port(rank.device_port, "device_port", place, findings);
  check_port(rank.host_port, "host_port", place, findings);
  if (rank.layers.empty() || rank.layers.size() > max_levels)
    report(findings, levels, place.of_rank() + ".level_list", std::to_string(rank.layers.size()));
  int layer_below = -1;
  for (; place.level < rank.layers.size(); ++place.level) {
    check_level(rank.layers[place.level], layer_below, place, findings);
    layer_below = rank.layers[place.level].net_layer;
  }
}

void check_table(const RankListTable& table, Findings& findings) {
  const std::size_t count = table.ranks.size();
  if (table.wrong_rank_count)
    report(findings, count_is_right, "$.rank_count",
           std::to_string(*table.wrong_rank_count) + ", where there are " + std::to_string(count));
  if (count == 0 || count > max_ranks) report(findings, list_fits, "$.rank_list", std::to_string(count));
  for (std::size_t i = 0; i < count; ++i) check_rank(table.ranks[i], {i}, findings);
}

// Servers are not compared: all entries have server 0.
DeviceIndex index_of(const RankListTable& table) {
  DeviceIndex index;
  index.form = &form;
  index.servers = table.ranks.empty() ? 0 : 1;
  index.entries.reserve(table.ranks.size());
  for (std::uint32_t i = 0; i < table.ranks.size(); ++i)
    index.entries.push_back({0, table.ranks[i].device_id, table.ranks[i].rank_id, {}, {i, 0, 0}});
  return index;
}

}  // namespace

void check(const RankListTable& table, const ValidateOptions& options, Findings& findings) {
  const DeviceIndex index = index_of(table);
  check_unknown_fields(table, findings);
  check_table(table, findings);
  check_ranks(index, findings);
  check_generations(index, options, findings);
  check_profile(index, options, findings);
}

}  // namespace adarun::ranktable
