// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// The Slurm allocation that this process runs in (salloc, sbatch).
struct Allocation {
  std::string job_id;
  std::vector<Host> hosts;  ///< One device per GPU of a node, else one per task; `counted` is set.
  std::vector<int> cpus;    ///< The job's CPUs on each host.

  bool operator==(const Allocation&) const = default;
};

/// Expands Slurm's counts per node: "8(x2),4" -> 8 8 4. Throws Error whose message begins with `where`.
std::vector<int> expand_counts(const std::string& text, const std::string& where);

/// Reads the variables that Slurm sets: SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_JOB_CPUS_PER_NODE, and for
/// the devices SLURM_GPUS_PER_NODE ("8", "a100:8", or several kinds, "a100:4,h100:2"), else
/// SLURM_TASKS_PER_NODE, else one per node. `variable` returns a variable's value, null if it is not set.
/// Throws Error outside an allocation, and for a variable in another format, which it names.
Allocation read_allocation(const std::function<const char*(const char*)>& variable);

/// The number of CPUs of each of these hosts, which may be a part of the allocation's. Throws Error that
/// names a host outside it.
std::vector<int> cpus_of(const Allocation& allocation, const std::vector<Host>& hosts);

}  // namespace adarun::launcher
