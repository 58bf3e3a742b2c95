// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/slurm/slurm_reach.h"

#include <cstdlib>

#include "launcher/hosts/slurm_allocation.h"
#include "launcher/transport/reach/agent_source.h"
#include "launcher/transport/slurm/srun.h"
#include "launcher/transport/ssh/ssh_reach.h"

namespace adarun::launcher {
namespace {

Allocation allocation() {
  return read_allocation([](const char* name) { return std::getenv(name); });
}

std::vector<SlurmNode> nodes_of(const std::vector<Host>& hosts) {
  const std::vector<int> cpus = cpus_of(allocation(), hosts);
  std::vector<SlurmNode> nodes;
  for (std::size_t i = 0; i < hosts.size(); ++i) nodes.push_back({hosts[i].name, cpus[i]});
  return nodes;
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
    const std::vector<std::string> agent =
        options.agent.empty() ? agent_command({agent_path(""), AgentSource::PathChoice::by_default})
                              : std::vector{options.agent};
    std::vector<NodeLink> links;
    for (SlurmNode& node : nodes_of(hosts)) {
      const std::string name = node.name;
      const auto link = [srun, node = std::move(node), &files](const std::vector<std::string>& program) {
        return std::make_unique<SrunLink>(srun, node, program, files);
      };
      links.push_back({name, link(agent), link});
    }
    return links;
  }
};

}  // namespace

std::shared_ptr<const Reach> slurm_reach() {
  return std::make_shared<const SlurmReach>();
}

}  // namespace adarun::launcher
