// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/local/local_reach.h"

#include "launcher/transport/local/pipe_link.h"
#include "launcher/transport/reach/agent_source.h"

namespace adarun::launcher {
namespace {

constexpr const char* loopback = "127.0.0.1";

class LocalReach : public Reach {
 public:
  std::string name() const override { return "local"; }
  bool is_local() const override { return true; }
  std::string text(const ReachOptions& /*options*/) const override { return ""; }
  std::string text_of(const Host& /*host*/, const HostPlace& /*place*/,
                      const ReachOptions& /*options*/) const override {
    return "on this machine";
  }

  Targets locate(const std::vector<Host>& hosts, const ReachOptions& /*options*/,
                 Unknown /*unknown*/) const override {
    return {std::vector<std::string>(hosts.size(), loopback),
            std::vector<HostPlace>(hosts.size(), {"", 0, loopback, "", {}, {}})};
  }

  std::vector<NodeLink> links(const std::vector<Host>& hosts, const Targets& /*targets*/,
                              const ReachOptions& options, const base::FileLimit& files) const override {
    const std::vector<std::string> agent{agent_path(options.agent)};
    std::vector<NodeLink> links;
    for (const Host& host : hosts)
      links.push_back({host.name, std::make_unique<PipeLink>(agent, PipeLink::Stderr::ours, files)});
    return links;
  }
};

}  // namespace

std::shared_ptr<const Reach> local_reach() {
  return std::make_shared<const LocalReach>();
}

}  // namespace adarun::launcher
