// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/transport/local/pipe_link.h"

namespace adarun::launcher {

/// A node of a Slurm allocation.
struct SlurmNode {
  std::string name;
  int cpus = 1;  ///< Of the job there.
};

/// Where srun is, looked up in PATH. Throws Error.
std::string find_srun();

/// The command that runs `program` with its arguments once on the node, with all that the job has there,
/// beside other steps. A step of its own for each node: one of several nodes would mix their bytes and give
/// stdin to all. The program outlives the way to its srun, of which it sees neither an end of stdin nor an
/// error, but not an srun that alone is killed: a child of that has Slurm kill the step.
std::vector<std::string> srun_command(const std::string& srun, const SlurmNode& node,
                                      const std::vector<std::string>& program);

/// Whether what an srun has said on stderr means that the job, and all that ran in it, is over.
bool says_job_is_over(std::string_view words);

/// A program on a node of the Slurm job that this process is part of, by an srun of its own.
class SrunLink : public PipeLink {
 public:
  /// `srun` is where that is.
  SrunLink(const std::string& srun, const SlurmNode& node, const std::vector<std::string>& program,
           const base::FileLimit& files)
      : PipeLink(srun_command(srun, node, program), Stderr::kept, files) {}

  bool ended_for_good() override { return says_job_is_over(status_text()); }
};

}  // namespace adarun::launcher
