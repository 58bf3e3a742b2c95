// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/rank_environment.h"

#include <sched.h>

namespace adarun::launcher::agent::pmix {
namespace {

std::size_t usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&cores));
}

}  // namespace

std::vector<std::string> rank_environment(const protocol::Start& start, std::uint32_t rank,
                                          std::size_t local_rank) {
  const std::size_t local_size = start.nodes[start.node].ranks.size();
  std::vector<std::string> result{
      "JSM_JSRUN_PORT=0",  // Open MPI 4.1 asks PMIx for its rank only if it believes itself under a known
                           // launcher.
      "OMPI_COMM_WORLD_RANK=" + std::to_string(rank),
      "OMPI_COMM_WORLD_SIZE=" + std::to_string(start.world_size),
      "OMPI_COMM_WORLD_LOCAL_RANK=" + std::to_string(local_rank),
      "OMPI_COMM_WORLD_LOCAL_SIZE=" + std::to_string(local_size),
      "OMPI_COMM_WORLD_NODE_RANK=" + std::to_string(local_rank),
  };
  if (!start.shm_folder.empty()) result.push_back("OMPI_MCA_btl_vader_backing_directory=" + start.shm_folder);
  if (local_size > usable_cores()) result.emplace_back("OMPI_MCA_mpi_yield_when_idle=1");
  return result;
}

}  // namespace adarun::launcher::agent::pmix
