// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::launcher {

/// A node of a Slurm allocation.
struct SlurmNode {
  std::string name;
  int cpus = 1;  ///< Of the job there.
};

/// Where srun is, looked up in PATH. Throws Error.
std::string find_srun();

/// The command that runs `program` once on the node, with all that the job has there, beside other steps. A
/// step of its own for each node: one of several nodes would mix their bytes and give stdin to all.
std::vector<std::string> srun_command(const std::string& srun, const SlurmNode& node,
                                      const std::string& program);

}  // namespace adarun::launcher
