// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <unordered_map>

#include "ranktable/model/quote.h"
#include "ranktable/rules/common_fields.h"
#include "ranktable/schemas/v1/check.h"

namespace adarun::ranktable {
namespace {

constexpr Rule count_is_right{"server_count must be the number of servers", "EI0014",
                              "write the number of servers, as a string"};
constexpr Rule has_servers{"server_list must have at least one server", "EI0014",
                           "add the servers: adarun ranktable gen makes the table of one, merge joins them"};
constexpr Rule has_devices{"a server must have at least one device", "EI0014",
                           "add its devices, or take the server out of the table"};
constexpr Rule id_is_unique{"a server_id must be of one server only", "EI0014",
                            "join the devices of one server in one entry, or give each server its own id"};

}  // namespace

void check_servers(const Table& table, Findings& findings) {
  check_count(table.wrong_server_count, table.servers.size(), count_is_right, "$.server_count", findings);
  if (table.servers.empty()) report(findings, has_servers, "$.server_list", "");
  std::unordered_map<std::string_view, std::size_t> holders;
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    const Server& server = table.servers[i];
    const std::string path = path_of(i);
    check_server_id(server.server_id, path + ".server_id", findings);
    const auto [holder, is_new] = holders.emplace(server.server_id, i);
    if (!is_new)
      report(findings, id_is_unique, path + ".server_id",
             in_quotes(server.server_id) + ", which " + path_of(holder->second) + " has too");
    if (server.devices.empty()) report(findings, has_devices, path + ".device", "");
  }
}

}  // namespace adarun::ranktable
