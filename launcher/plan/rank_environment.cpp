// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/rank_environment.h"

#include <functional>

namespace adarun::launcher {
namespace {

// Below the range that kernels hand out to clients, so that a port is rarely taken.
constexpr std::size_t first_master_port = 20'000;
constexpr std::size_t master_ports = 12'000;

// With more nodes, what all ranks publish takes longer to bring to every node (it grows with the square of
// their number) than to ask for what a rank needs: docs/scale.md.
constexpr std::size_t most_nodes_told_all = 2'048;

std::string master_port(const std::string& job_id) {
  return std::to_string(first_master_port + std::hash<std::string>{}(job_id) % master_ports);
}

}  // namespace

RankEnvironment::RankEnvironment(const protocol::Start& start, const JobOptions& options,
                                 const ranktable::Table& table, const std::string& master,
                                 std::string network)
    : start_(start),
      options_(options),
      master_(master.empty() ? table.servers.front().server_id : master),
      nodes_(table.servers.size()),
      network_(std::move(network)) {}

std::vector<std::string> RankEnvironment::of(const ranktable::Device& device, std::size_t local_rank,
                                             std::size_t local_size) const {
  const std::string rank = std::to_string(device.rank_id);
  const std::string world = std::to_string(start_.world_size);
  const std::string node = std::to_string(start_.node);
  const std::string local_world = std::to_string(local_size);
  return {
      "RANK_TABLE_FILE=" + start_.scratch + "/rank_table.json",
      "RANK_ID=" + rank,
      "RANK_SIZE=" + world,
      "DEVICE_ID=" + std::to_string(device.device_id),
      "DEVICE_NUM=" + local_world,
      "SERVER_ID=" + node,
      "RANK=" + rank,
      "WORLD_SIZE=" + world,
      "LOCAL_RANK=" + std::to_string(local_rank),
      "LOCAL_WORLD_SIZE=" + local_world,
      "GROUP_RANK=" + node,
      "MASTER_ADDR=" + master_,
      "MASTER_PORT=" + master_port(options_.job_id),
      "ADARUN_JOB_ID=" + options_.job_id,
      "ADARUN_FIRST_JOB_ID=" + (options_.first_job_id.empty() ? options_.job_id : options_.first_job_id),
      "ADARUN_LOG_DIR=" + options_.log_dir,
      "ADARUN_RESTART_COUNT=" + std::to_string(options_.restart),
      "PYTHONUNBUFFERED=1",
  };
}

std::vector<std::string> RankEnvironment::defaults(std::size_t local_size) const {
  std::vector<std::string> variables;
  if (local_size > 1) variables.emplace_back("OMP_NUM_THREADS=1");
  if (!network_.empty()) variables.push_back("OMPI_MCA_btl_tcp_if_include=" + network_);
  if (nodes_ > 1 && network_.rfind("127.", 0) == 0) variables.emplace_back("OMPI_MCA_mpi_yield_when_idle=1");
  if (nodes_ > most_nodes_told_all) variables.emplace_back("OMPI_MCA_pmix_base_collect_data=0");
  return variables;
}

}  // namespace adarun::launcher
