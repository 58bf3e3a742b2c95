// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/table_environment.h"

#include <algorithm>
#include <string_view>

#include "launcher/plan/network.h"
#include "launcher/plan/rank_environment.h"

namespace adarun::launcher {
namespace {

bool is_of_a_job(const std::string& variable) {
  return std::string_view(variable).substr(0, 7) == "ADARUN_";
}

std::vector<std::string> without_job(std::vector<std::string> variables, const std::string& table_file) {
  constexpr std::string_view table_name = "RANK_TABLE_FILE=";
  variables.erase(std::remove_if(variables.begin(), variables.end(), is_of_a_job), variables.end());
  for (std::string& variable : variables)
    if (variable.compare(0, table_name.size(), table_name) == 0)
      variable = std::string(table_name) + table_file;
  return variables;
}

}  // namespace

std::vector<EnvironmentOfRank> environment_of_node(const ranktable::Table& table, std::size_t node,
                                                   const std::string& table_file) {
  std::vector<std::string> addresses;
  for (const ranktable::Server& server : table.servers) addresses.push_back(server.server_id);
  protocol::Start start;
  start.node = static_cast<std::uint32_t>(node);
  start.world_size = static_cast<std::uint32_t>(ranktable::device_count(table));
  const JobOptions options;
  const RankEnvironment environment(start, options, table, addresses.front(), common_network(addresses));
  const std::size_t local_size = table.servers.at(node).devices.size();
  std::vector<EnvironmentOfRank> ranks;
  for (const ranktable::Row& row : ranktable::rows(table)) {
    if (row.node != node) continue;
    const ranktable::Device device{row.device_id, row.device_ip, row.rank};
    ranks.push_back({row, without_job(environment.of(device, row.local_rank, local_size), table_file),
                     environment.defaults(local_size)});
  }
  return ranks;
}

}  // namespace adarun::launcher
