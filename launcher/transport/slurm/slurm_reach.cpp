// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/slurm/slurm_reach.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include "launcher/base/error.h"
#include "launcher/hosts/job_hosts.h"
#include "launcher/transport/reach/agent_source.h"
#include "launcher/transport/reach/upload_link.h"
#include "launcher/transport/ssh/ssh_reach.h"

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

std::vector<std::string> srun_command(const std::string& srun, const std::string& node, int cpus,
                                      const std::vector<std::string>& program) {
  std::vector<std::string> command{srun,           "--nodes=1",
                                   "--ntasks=1",   "--nodelist=" + node,
                                   "--overlap",    "--cpus-per-task=" + std::to_string(cpus),
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

namespace {

Allocation allocation() {
  return read_allocation([](const char* name) { return std::getenv(name); });
}

class SlurmReach : public Reach {
 public:
  std::string name() const override { return "slurm"; }
  std::string text(const ReachOptions& /*options*/) const override { return "by srun"; }
  std::string text_of(const Host& host, const HostPlace& /*place*/,
                      const ReachOptions& /*options*/) const override {
    return "srun --nodelist=" + host.name;
  }

  bool has_hosts() const override { return true; }
  std::vector<Host> hosts(const ReachOptions& /*options*/) const override { return allocation().hosts; }
  void require(const std::vector<Host>& hosts, const ReachOptions& /*options*/) const override {
    cpus_of(allocation(), hosts);
  }

  Targets locate(const std::vector<Host>& hosts, const ReachOptions& options,
                 Unknown unknown) const override {
    return locate_without_ssh(hosts, no_ssh_config, options.connect_timeout, unknown);
  }

  std::vector<NodeLink> links(const std::vector<Host>& hosts, const Targets& /*targets*/,
                              const ReachOptions& options, const base::FileLimit& files) const override {
    const std::string srun = find_srun();
    const auto source = std::make_shared<const AgentSource>(
        options.agent.empty() ? agent_source("")
                              : AgentSource{options.agent, AgentSource::PathChoice::by_user});
    const std::vector<std::string> agent =
        options.agent.empty() ? agent_command(*source) : std::vector{options.agent};
    std::vector<NodeLink> links;
    const std::vector<int> cpus = cpus_of(allocation(), hosts);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto link = [srun, name = hosts[i].name, count = cpus[i],
                         &files](const std::vector<std::string>& program) {
        return std::make_unique<SrunLink>(srun_command(srun, name, count, program), files);
      };
      links.push_back({hosts[i].name, std::make_unique<UploadLink>(link(agent), source), link});
    }
    return links;
  }
};

}  // namespace

std::shared_ptr<const Reach> slurm_reach() {
  return std::make_shared<const SlurmReach>();
}

}  // namespace adarun::launcher
