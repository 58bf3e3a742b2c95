// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/job_hosts.h"

#include <sstream>

#include "launcher/base/error.h"
#include "launcher/hosts/read.h"

namespace adarun::launcher {
namespace {

// With '/', so that read_hosts() takes it for a file.
JobHosts file_in(const Variable& variable, const char* name) {
  const char* path = variable(name);
  if (path == nullptr || *path == '\0') return {};
  const std::string file = path;
  return {file.find('/') == std::string::npos ? "./" + file : file, name};
}

}  // namespace

std::vector<Host> read_job_hosts(const JobHosts& hosts) {
  try {
    return read_hosts(hosts.list, hosts.variable);
  } catch (const Error& error) {
    const std::string text = error.what();
    throw Error(text.starts_with(hosts.variable) ? text : hosts.variable + ": " + text);
  }
}

JobHosts pbs_hosts(const Variable& variable) {
  return file_in(variable, "PBS_NODEFILE");
}

JobHosts lsf_hosts(const Variable& variable) {
  if (JobHosts file = file_in(variable, "LSB_DJOB_HOSTFILE"); !file.list.empty()) return file;
  const char* pairs = variable("LSB_MCPU_HOSTS");
  if (pairs == nullptr) return {};
  std::string list;
  std::istringstream words(pairs);
  for (std::string host, slots; words >> host;) {
    if (!(words >> slots))
      throw Error(std::string("LSB_MCPU_HOSTS: \"") + pairs +
                  "\": wanted hosts and slots such as node1 8 node2 8");
    list += (list.empty() ? "" : ",") + host + ":" + slots;
  }
  return {list, "LSB_MCPU_HOSTS"};
}

JobHosts pod_hosts(const Variable& variable) {
  for (const char* name : {"OMPI_MCA_orte_default_hostfile", "HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE"})
    if (JobHosts file = file_in(variable, name); !file.list.empty()) return file;
  const char* workers = variable("VC_WORKER_HOSTS");
  return workers == nullptr ? JobHosts() : JobHosts{workers, "VC_WORKER_HOSTS"};
}

}  // namespace adarun::launcher
