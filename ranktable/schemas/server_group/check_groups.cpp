// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "ranktable/json/path.h"
#include "ranktable/model/address.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/rules/common_fields.h"
#include "ranktable/schemas/server_group/check.h"

namespace adarun::ranktable {
namespace {

constexpr Rule has_groups{
    "server_group_list must have at least one group", "",
    "make the groups of a table: adarun ranktable convert --to server_group --role prefill=0-7 ..."};
constexpr Rule id_is_number{"group_id must be a decimal number", "",
                            "write \"0\" for the router, \"1\" for prefill, \"2\" for decode, or the "
                            "numbers that the program reads"};
constexpr Rule id_is_unique{"a group_id must be of one group only", "",
                            "join the servers of one group in one entry, or give each group its own number"};
constexpr Rule has_router{"a group 0 is advised: programs look for their router or coordinator there", "",
                          "add it: adarun ranktable convert --to server_group --role ... --router ADDRESS",
                          Severity::warning};
constexpr Rule count_is_right{"server_count must be the number of servers in the group", "",
                              "write the number of servers, as a string"};
constexpr Rule has_servers{"a group is advised to have a server", "",
                           "add its servers, or take the group out", Severity::warning};
constexpr Rule all_or_none{"the servers of a group must all have devices, or none of them", "",
                           "add its devices, or put the server into the group of the router"};
constexpr Rule ip_is_there{"server_ip must be there", "", "write the address at which the server is reached"};
constexpr Rule ip_is_host{"server_ip and container_ip must be an address or the name of a host", "",
                          "write the address at which the server is reached"};
constexpr Rule ip_is_address{"server_ip and container_ip are advised to be IPv4 or IPv6 addresses", "",
                             "write the address: MindIE takes no name", Severity::warning};
constexpr Rule pod_is_of_group{"super_pod_list of a group must name servers of the group alone", "",
                               "write a server_id of the group, or take the server out of the super pod"};
constexpr Rule super_device_is_number{
    "a super_device_id of a server_group table must be a decimal number, 0 to 4294967294", "",
    "write the card's SDID, as npu-smi info -t spod-info prints it"};

// 4294967295 stands for "none".
bool is_super_device(std::string_view text) {
  constexpr std::string_view beyond = "4294967295";
  const bool is_number = !text.empty() && std::all_of(text.begin(), text.end(), is_digit) &&
                         (text == "0" || text.front() != '0');
  return is_number && (text.size() < beyond.size() || (text.size() == beyond.size() && text < beyond));
}

void check_host(const std::string& text, const std::string& path, Findings& findings) {
  if (parse_address(text)) return;
  const bool is_host = !is_placeholder(text) && is_server_name(text);
  report(findings, is_host ? ip_is_address : ip_is_host, path, in_quotes(text));
}

void check_devices(const GroupServer& server, const std::string& path, Findings& findings) {
  for (std::size_t i = 0; i < server.devices.size(); ++i) {
    const std::string& id = server.devices[i].super_device_id;
    if (!id.empty() && !is_super_device(id))
      report(findings, super_device_is_number, item_path(path + ".device", i) + ".super_device_id",
             in_quotes(id));
  }
}

void check_server(const GroupServer& server, const std::string& path, Findings& findings) {
  if (!server.devices.empty() || !server.server_id.empty())
    check_server_id(server.server_id, path + ".server_id", findings);
  if (server.server_ip.empty())
    report(findings, ip_is_there, path + ".server_ip", "");
  else
    check_host(server.server_ip, path + ".server_ip", findings);
  if (!server.container_ip.empty()) check_host(server.container_ip, path + ".container_ip", findings);
  check_devices(server, path, findings);
}

void check_pods(const ServerGroup& group, const std::string& path, Findings& findings) {
  for (std::size_t i = 0; i < group.super_pods.size(); ++i) {
    const std::vector<SuperPodMember>& members = group.super_pods[i].servers;
    for (std::size_t j = 0; j < members.size(); ++j) {
      const auto is_member = [&](const GroupServer& each) { return each.server_id == members[j].server_id; };
      if (std::none_of(group.servers.begin(), group.servers.end(), is_member))
        report(findings, pod_is_of_group,
               item_path(item_path(path + ".super_pod_list", i) + ".server_list", j) + ".server_id",
               in_quotes(members[j].server_id));
    }
  }
}

void check_group(const ServerGroup& group, std::size_t number, Findings& findings) {
  const std::string path = server_group_path(number);
  check_count(group.wrong_server_count, group.servers.size(), count_is_right, path + ".server_count",
              findings);
  if (group.servers.empty()) report(findings, has_servers, path + ".server_list", "");
  const bool has_devices = device_count(group) > 0;
  for (std::size_t i = 0; i < group.servers.size(); ++i) {
    check_server(group.servers[i], group_server_path(number, i), findings);
    if (has_devices && group.servers[i].devices.empty())
      report(findings, all_or_none, group_server_path(number, i), "no devices");
  }
  check_pods(group, path, findings);
}

}  // namespace

std::string server_group_path(std::size_t group) {
  return item_path("$.server_group_list", group);
}

std::string group_server_path(std::size_t group, std::size_t server) {
  return item_path(server_group_path(group) + ".server_list", server);
}

void check_groups(const ServerGroupTable& table, Findings& findings) {
  if (table.groups.empty()) report(findings, has_groups, "$.server_group_list", "");
  std::unordered_map<std::string_view, std::size_t> holders;
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const std::string& id = table.groups[i].group_id;
    const std::string path = server_group_path(i) + ".group_id";
    if (!parse_decimal(id)) report(findings, id_is_number, path, in_quotes(id));
    const auto [holder, is_new] = holders.emplace(id, i);
    if (!is_new)
      report(findings, id_is_unique, path,
             in_quotes(id) + ", which " + server_group_path(holder->second) + " has too");
    check_group(table.groups[i], i, findings);
  }
  if (!table.groups.empty() && holders.count("0") == 0)
    report(findings, has_router, "$.server_group_list", "");
}

}  // namespace adarun::ranktable
