// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/transport/command/command_link.h"
#include "launcher/transport/reach/reach.h"

namespace adarun::launcher {

/// The path of srun, looked up in PATH. Throws Error.
std::string find_srun();

/// The command that runs `program` with its arguments once on the node, with all resources that the job has
/// there, which are so many CPUs, beside other steps. Each node gets its own step: a step of several nodes
/// would mix their output and send stdin to all. If the connection to its srun is lost, the program
/// continues, and sees neither an end of stdin nor an error. If only the srun is killed, it does not: a child
/// of srun has Slurm kill the step.
std::vector<std::string> srun_command(const std::string& srun, const std::string& node, int cpus,
                                      const std::vector<std::string>& program);

/// Whether the text that srun wrote to stderr means that the job, and all that ran in it, is over.
bool says_job_is_over(std::string_view words);

/// A program on a node of the Slurm job that this process is part of, over its own srun, which starts when
/// the link opens. One that has not brought an agent yet, and may wait for its step, is ended with the link;
/// one that has is left alone, as Slurm would end the agent with it.
class SrunLink : public CommandLink {
 public:
  /// `command`: srun_command(). `files` must outlive the link.
  SrunLink(std::vector<std::string> command, const base::FileLimit& files)
      : CommandLink(std::move(command), "srun", AtTheEnd::leave, files) {}

  std::string status_text() override { return said(); }
  bool ended_for_good() override { return says_job_is_over(said()); }
};

/// An agent on each node of the Slurm job that this process is part of, each over its own srun; brought there
/// where none is installed. Names of nodes are known to the resolver; ~/.ssh/config does not
/// apply to them.
std::shared_ptr<const Reach> slurm_reach();

}  // namespace adarun::launcher
