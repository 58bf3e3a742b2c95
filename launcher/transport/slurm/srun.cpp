// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/slurm/srun.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include "launcher/base/error.h"

namespace adarun::launcher {

std::string find_srun() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.starts_with('/')) continue;  // The current folder may be another user's.
    std::string file = folder + "/srun";
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  throw Error("srun: not found in PATH; --via slurm needs Slurm's programs on this machine");
}

std::vector<std::string> srun_command(const std::string& srun, const SlurmNode& node,
                                      const std::vector<std::string>& program) {
  std::vector<std::string> command{srun,           "--nodes=1",
                                   "--ntasks=1",   "--nodelist=" + node.name,
                                   "--overlap",    "--cpus-per-task=" + std::to_string(node.cpus),
                                   "--mem=0",      "--mpi=none",
                                   "--unbuffered",  // Else srun holds output until its line ends.
                                   "--quiet"};
  command.emplace_back("--");  // The program may come from a node: srun must not take it for options.
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

bool says_job_is_over(std::string_view words) {
  constexpr std::array sayings{"job id specified", "already completing or completed", "has expired"};
  return std::any_of(sayings.begin(), sayings.end(),
                     [words](const char* saying) { return words.find(saying) != words.npos; });
}

}  // namespace adarun::launcher
