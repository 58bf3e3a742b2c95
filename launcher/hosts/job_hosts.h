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

// Slurm's are in slurm_allocation.h.

/// PBS: the file of PBS_NODEFILE, with a line for each slot.
JobHosts pbs_hosts(const Variable& variable);

/// LSF: the file of LSB_DJOB_HOSTFILE, with a line for each slot, else LSB_MCPU_HOSTS ("a 4 b 8"). Throws
/// Error that names a variable in another format.
JobHosts lsf_hosts(const Variable& variable);

/// Pods of Kubernetes: the hostfile of MPI Operator and Kubeflow Trainer, as OMPI_MCA_orte_default_hostfile,
/// HYDRA_HOST_FILE or I_MPI_HYDRA_HOST_FILE name it, else Volcano's VC_WORKER_HOSTS.
JobHosts pod_hosts(const Variable& variable);

}  // namespace adarun::launcher
