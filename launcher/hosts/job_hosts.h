// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace adarun::launcher {

/// A variable of the environment; null if it is not set.
using Variable = std::function<const char*(const char*)>;

// The hosts that a batch system has given to the job that this process is part of, as a list for
// read_hosts(). Empty: the variables are not set. Slurm's are in allocation.h.

/// PBS: the file of PBS_NODEFILE, with a line for each slot.
std::string pbs_hosts(const Variable& variable);

/// LSF: the file of LSB_DJOB_HOSTFILE, with a line for each slot, else LSB_MCPU_HOSTS ("a 4 b 8"). Throws
/// Error that names a variable in another format.
std::string lsf_hosts(const Variable& variable);

/// Pods of Kubernetes: MPI Operator's hostfile, as OMPI_MCA_orte_default_hostfile, HYDRA_HOST_FILE or
/// I_MPI_HYDRA_HOST_FILE name it, else Volcano's VC_WORKER_HOSTS.
std::string pod_hosts(const Variable& variable);

}  // namespace adarun::launcher
