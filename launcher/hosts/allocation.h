// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// What Slurm has given to the job that this process is part of (salloc, sbatch).
struct Allocation {
  std::string job_id;
  std::vector<Host> hosts;  ///< One device per GPU of a node, else per task; counted.
  std::vector<int> cpus;    ///< Of the job on each host.

  bool operator==(const Allocation&) const = default;
};

/// "8(x2),4" -> 8 8 4, as Slurm writes counts of nodes. Throws Error, its message opening with `where`.
std::vector<int> expand_counts(const std::string& text, const std::string& where);

/// Reads the variables that Slurm sets: SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_JOB_CPUS_PER_NODE, and for
/// the devices SLURM_GPUS_PER_NODE ("8" or "a100:8"), else SLURM_TASKS_PER_NODE, else one a node. `variable`
/// gives a variable's value, null where it is not set. Throws Error outside of an allocation, and naming a
/// variable that is not as Slurm writes it.
Allocation read_allocation(const std::function<const char*(const char*)>& variable);

/// The numbers of CPUs of these hosts, which may be some of the allocation's. Throws Error naming one that is
/// not.
std::vector<int> cpus_of(const Allocation& allocation, const std::vector<Host>& hosts);

}  // namespace adarun::launcher
