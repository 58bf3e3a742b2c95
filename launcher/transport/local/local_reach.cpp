// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/local/local_reach.h"

#include "launcher/transport/local/pipe_link.h"
#include "launcher/transport/loop/loop.h"
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

  std::unique_ptr<Transport> connect(const std::vector<Host>& hosts, const Targets& /*targets*/,
                                     const ReachOptions& options, std::chrono::milliseconds lease,
                                     const base::FileLimit& files) const override {
    const std::vector<std::string> agent{agent_path(options.agent)};
    std::vector<std::unique_ptr<Link>> links;
    for (std::size_t node = 0; node < hosts.size(); ++node)
      links.push_back(std::make_unique<PipeLink>(agent, PipeLink::Stderr::ours, files));
    return std::make_unique<Loop>(std::move(links), options.links(lease));
  }
};

}  // namespace

std::shared_ptr<const Reach> local_reach() {
  return std::make_shared<const LocalReach>();
}

}  // namespace adarun::launcher
