// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/rank_environment.h"

#include <arpa/inet.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {
namespace {

constexpr std::uint32_t loopback_net = 127;

std::string dotted(std::uint32_t address) {
  return std::to_string(address >> 24U) + "." + std::to_string(address >> 16U & 255U) + "." +
         std::to_string(address >> 8U & 255U) + "." + std::to_string(address & 255U);
}

// Below the range of ephemeral ports, so that a port is rarely in use.
constexpr std::size_t first_master_port = 20'000;
constexpr std::size_t master_ports = 12'000;

// With more nodes, sending all data that ranks publish to every node (it grows with the square of their
// number) takes longer than requesting what each rank needs: docs/scale.md.
constexpr std::size_t most_nodes_told_all = 2'048;

std::string master_port(const std::string& job_id) {
  return std::to_string(first_master_port + std::hash<std::string>{}(job_id) % master_ports);
}

std::vector<std::string> variables_of_job(const JobOptions& job, const AttemptOptions& attempt) {
  const std::string first_id = attempt.earlier.empty() ? attempt.job_id : attempt.earlier.front().job_id;
  const std::string restarts = std::to_string(attempt.earlier.size());
  return {
      "ADARUN_JOB_ID=" + attempt.job_id,
      "ADARUN_FIRST_JOB_ID=" + first_id,
      "ADARUN_LOG_DIR=" + job.log_folder.string(),
      "ADARUN_RESTART_COUNT=" + restarts,
      "TORCHELASTIC_RESTART_COUNT=" + restarts,
      "TORCHELASTIC_MAX_RESTARTS=" + std::to_string(job.restarts.most),
      "TORCHELASTIC_RUN_ID=" + first_id,
  };
}

std::vector<std::string> names_of(VisibleDevices devices) {
  switch (devices) {
    case VisibleDevices::cuda:
      return {"CUDA_VISIBLE_DEVICES"};
    case VisibleDevices::ascend:
      return {"ASCEND_RT_VISIBLE_DEVICES"};
    case VisibleDevices::rocm:
      return {"ROCR_VISIBLE_DEVICES"};
    case VisibleDevices::none:
      break;
  }
  return {};
}

// The address of the server that has rank 0, or its id, if that is not known.
std::string master_of(const ranktable::Table& table, const std::vector<std::string>& addresses) {
  if (addresses.empty() || table.servers.empty())
    throw Error("rank table: has no devices, wanted at least one");
  const std::size_t server = server_of_first_rank(table);
  return addresses[server].empty() ? table.servers[server].server_id : addresses[server];
}

std::vector<std::string> server_ids(const ranktable::Table& table) {
  std::vector<std::string> ids;
  for (const ranktable::Server& server : table.servers) ids.push_back(server.server_id);
  return ids;
}

}  // namespace

std::string common_network(const std::vector<std::string>& addresses) {
  std::uint32_t first = 0;
  int prefix = addresses.empty() ? 0 : 32;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    in_addr raw{};
    if (inet_pton(AF_INET, addresses[i].c_str(), &raw) != 1) return "";
    const std::uint32_t address = ntohl(raw.s_addr);
    if (i == 0) first = address;
    prefix = std::min(prefix, std::countl_zero(first ^ address));
  }
  if (prefix == 0) return "";
  if (first >> 24U == loopback_net) return prefix >= 8 ? "127.0.0.0/8" : "";
  const std::uint32_t mask = ~std::uint32_t{0} << (32 - prefix);
  return dotted(first & mask) + "/" + std::to_string(prefix);
}

std::size_t server_of_first_rank(const ranktable::Table& table) {
  const auto has_it = [](const ranktable::Server& server) {
    return std::ranges::find(server.devices, 0, &ranktable::Device::rank_id) != server.devices.end();
  };
  const auto found = std::ranges::find_if(table.servers, has_it);
  return found == table.servers.end() ? 0 : static_cast<std::size_t>(found - table.servers.begin());
}

std::string table_variable(const ranktable::AnyTable& table) {
  return std::holds_alternative<ranktable::ServerGroupTable>(table) ? variable_of_groups : "RANK_TABLE_FILE";
}

RankEnvironments::RankEnvironments(const ranktable::Table& table, const std::vector<std::string>& addresses,
                                   const JobOptions& job, const AttemptOptions& attempt)
    : RankEnvironments(table, addresses, attempt.job_id, variables_of_job(job, attempt)) {
  table_variable_ = attempt.table_variable;
  visible_devices_ = names_of(job.visible_devices);
  roles_ = job.roles;
  role_of_ = role_of_ranks(roles_, world_size_);
}

RankEnvironments::RankEnvironments(const ranktable::Table& table, std::string table_variable)
    : RankEnvironments(table, server_ids(table), "", {}) {
  table_variable_ = std::move(table_variable);
}

RankEnvironments::RankEnvironments(const ranktable::Table& table, const std::vector<std::string>& addresses,
                                   const std::string& job_id, std::vector<std::string> job_variables)
    : nodes_(table.servers.size()),
      world_size_(ranktable::device_count(table)),
      master_(master_of(table, addresses)),
      master_port_(master_port(job_id)),
      network_(common_network(addresses)),
      job_variables_(std::move(job_variables)) {
  for (ranktable::Row& row : ranktable::rows(table)) nodes_[row.node].push_back(std::move(row));
}

std::vector<RankEnvironment> RankEnvironments::of_node(std::size_t node,
                                                       const std::string& table_file) const {
  const std::vector<ranktable::Row>& rows = nodes_.at(node);
  std::vector<RankEnvironment> ranks;
  ranks.reserve(rows.size());
  for (const ranktable::Row& row : rows)
    ranks.push_back({row, variables_of(row, table_file), defaults_of(rows.size())});
  return ranks;
}

std::vector<std::string> RankEnvironments::variables_of(const ranktable::Row& row,
                                                        const std::string& table_file) const {
  const std::string rank = std::to_string(row.rank);
  const std::string world = std::to_string(world_size_);
  const std::string node = std::to_string(row.node);
  const std::string local_world = std::to_string(nodes_[row.node].size());
  std::vector<std::string> variables{
      table_variable_ + "=" + table_file,
      "RANK_ID=" + rank,
      "RANK_SIZE=" + world,
      "DEVICE_ID=" + std::to_string(row.device_id),
      "DEVICE_NUM=" + local_world,
      "SERVER_ID=" + node,
      "RANK=" + rank,
      "WORLD_SIZE=" + world,
      "LOCAL_RANK=" + std::to_string(row.local_rank),
      "LOCAL_WORLD_SIZE=" + local_world,
      "GROUP_RANK=" + node,
      "MASTER_ADDR=" + master_,
      "MASTER_PORT=" + master_port_,
  };
  for (const std::string& name : visible_devices_)
    variables.push_back(name + "=" + std::to_string(row.device_id));
  variables.insert(variables.end(), job_variables_.begin(), job_variables_.end());
  if (!roles_.empty()) {
    const auto number = static_cast<std::uint32_t>(row.rank);
    const std::vector<std::string> own = role_variables(roles_[role_of_[number]], number);
    variables.insert(variables.end(), own.begin(), own.end());
  }
  variables.emplace_back("PYTHONUNBUFFERED=1");
  variables.emplace_back("GFORTRAN_UNBUFFERED_PRECONNECTED=y");
  return variables;
}

std::vector<std::string> RankEnvironments::defaults_of(std::size_t local_size) const {
  std::vector<std::string> variables;
  if (local_size > 1) variables.emplace_back("OMP_NUM_THREADS=1");
  if (!network_.empty()) variables.push_back("OMPI_MCA_btl_tcp_if_include=" + network_);
  if (nodes_.size() > 1 && network_.rfind("127.", 0) == 0)
    variables.emplace_back("OMPI_MCA_mpi_yield_when_idle=1");
  // Its other kind, posix, is tried by making /dev/shm/open_mpi.0000, which stays if a rank is killed then.
  variables.emplace_back("OMPI_MCA_shmem=mmap");
  if (nodes_.size() > most_nodes_told_all) variables.emplace_back("OMPI_MCA_pmix_base_collect_data=0");
  return variables;
}

}  // namespace adarun::launcher
