// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/ssh_reach.h"

#include <utility>

#include "base/shell_word.h"
#include "launcher/transport/reach/agent_source.h"
#include "launcher/transport/reach/upload_link.h"
#include "launcher/transport/ssh/jump_host.h"
#include "launcher/transport/ssh/located_hosts.h"
#include "launcher/transport/ssh/ssh_link.h"

namespace adarun::launcher {
namespace {

LocatedHosts locate_in(const std::vector<Host>& hosts, const SshOptions& options,
                       std::chrono::milliseconds deadline, Reach::Unknown unknown) {
  LocatedHosts located = locate_hosts(hosts, options, deadline);
  if (unknown == Reach::Unknown::refused) located.require_all();
  return located;
}

std::vector<HostPlace> places_in(const LocatedHosts& located) {
  const std::vector<std::string> addresses = located.addresses();
  std::vector<HostPlace> places;
  for (std::size_t i = 0; i < located.hops.size(); ++i) {
    const Hop& hop = *located.hops[i];
    const SshSettings& settings = hop.credentials.settings;
    places.push_back({settings.user, settings.port, addresses[i], located.reason_of(i), settings.jumps, {}});
    if (hop.before) continue;
    for (const SocketAddress& address : located.place_of(i).addresses)
      places.back().addresses.push_back(address.text());
  }
  return places;
}

class SshReach : public Reach {
 public:
  std::string name() const override { return "ssh"; }

  std::string text(const ReachOptions& options) const override {
    return "over SSH, at most " + std::to_string(options.fanout) + " at once";
  }

  std::string text_of(const Host& /*host*/, const HostPlace& place,
                      const ReachOptions& /*options*/) const override {
    std::string jumps;
    for (const std::string& jump : place.jumps) jumps += (jumps.empty() ? "-J " : ",") + jump;
    return "ssh " + jumps + (jumps.empty() ? "" : " ") + "-p " + std::to_string(place.port) + " " +
           place.user + "@" + (place.address.empty() ? "? (" + place.reason + ")" : place.address);
  }

  Targets locate(const std::vector<Host>& hosts, const ReachOptions& options,
                 Unknown unknown) const override {
    LocatedHosts located = locate_in(hosts, options.ssh, options.connect_timeout, unknown);
    Targets targets{located.addresses(), places_in(located), located.notes};
    targets.located = std::make_shared<const LocatedHosts>(std::move(located));
    return targets;
  }

  std::vector<NodeLink> links(const std::vector<Host>& hosts, const Targets& targets,
                              const ReachOptions& options, const base::FileLimit& /*files*/) const override {
    const auto source = std::make_shared<const AgentSource>(agent_source(options.agent));
    const std::string command = agent_call(*source);
    const auto dials = std::make_shared<Dials>(targets.located, options.connect_timeout);
    std::vector<NodeLink> links;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const std::shared_ptr<const Hop>& hop = targets.located->hops[i];
      const auto link = [dials, hop](const std::string& words) {
        return std::make_unique<SshLink>(hop->credentials, dials->to(*hop), words);
      };
      links.push_back({hosts[i].name, std::make_unique<UploadLink>(link(command), source),
                       [link](const std::vector<std::string>& words) {
                         return link("exec " + base::shell_words(words));
                       }});
    }
    return links;
  }
};

}  // namespace

std::shared_ptr<const Reach> ssh_reach() {
  return std::make_shared<const SshReach>();
}

Targets locate_without_ssh(const std::vector<Host>& hosts, const std::string& config_file,
                           std::chrono::milliseconds deadline, Reach::Unknown unknown) {
  SshOptions options;
  options.config_file = config_file;
  const LocatedHosts located = locate_in(hosts, options, deadline, unknown);
  Targets targets{located.addresses()};
  for (HostPlace& place : places_in(located))
    targets.places.push_back({"", 0, place.address, place.reason, {}, std::move(place.addresses)});
  return targets;
}

}  // namespace adarun::launcher
