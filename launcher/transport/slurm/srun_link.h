// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/transport/local/pipe_link.h"
#include "launcher/transport/slurm/srun.h"

namespace adarun::launcher {

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
