// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// A variable of the environment; null if it is not set.
using Variable = std::function<const char*(const char*)>;

/// The hosts that a batch system has given to the job that this process is part of.
struct JobHosts {
  std::string list;      ///< For read_hosts(); empty: no variable has them.
  std::string variable;  ///< That they are from.
};

/// Reads them; messages begin with the variable's name. Throws Error.
std::vector<Host> read_job_hosts(const JobHosts& hosts);

/// PBS: the file of PBS_NODEFILE, with a line for each slot.
JobHosts pbs_hosts(const Variable& variable);

/// LSF: the file of LSB_DJOB_HOSTFILE, with a line for each slot, else LSB_MCPU_HOSTS ("a 4 b 8"). Throws
/// Error that names a variable in another format.
JobHosts lsf_hosts(const Variable& variable);

/// Pods of Kubernetes: the hostfile of MPI Operator and Kubeflow Trainer, as OMPI_MCA_orte_default_hostfile,
/// HYDRA_HOST_FILE or I_MPI_HYDRA_HOST_FILE name it, else Volcano's VC_WORKER_HOSTS.
JobHosts pod_hosts(const Variable& variable);

/// The Slurm allocation that this process runs in (salloc, sbatch).
struct Allocation {
  std::string job_id;
  std::vector<Host> hosts;  ///< One device per GPU of a node, else one per task; `counted` is set.
  std::vector<int> cpus;    ///< The job's CPUs on each host.
};

/// Reads the variables that Slurm sets: SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_JOB_CPUS_PER_NODE, and for
/// the devices SLURM_GPUS_PER_NODE ("8", "a100:8", or several kinds, "a100:4,h100:2"), else
/// SLURM_TASKS_PER_NODE, else one per node. Throws Error outside an allocation, and for a variable in another
/// format, which it names.
Allocation read_allocation(const Variable& variable);

/// The number of CPUs of each of these hosts, which may be a part of the allocation's. Throws Error that
/// names a host outside it.
std::vector<int> cpus_of(const Allocation& allocation, const std::vector<Host>& hosts);

}  // namespace adarun::launcher
