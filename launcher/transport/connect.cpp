// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/connect.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/shell_word.h"
#include "launcher/base/error.h"
#include "launcher/transport/local/pipe_link.h"
#include "launcher/transport/loop/loop.h"
#include "launcher/transport/slurm/srun_link.h"
#include "launcher/transport/ssh/address_dial.h"
#include "launcher/transport/ssh/jump_host.h"
#include "launcher/transport/ssh/outside_addresses.h"
#include "launcher/transport/ssh/resolve.h"
#include "launcher/transport/ssh/route.h"
#include "launcher/transport/ssh/ssh_link.h"
#include "launcher/transport/upload_link.h"

namespace adarun::launcher {

struct SshTargets::Impl {
  /// Of each host, and of each that is first on the way to one.
  std::vector<std::shared_ptr<const Hop>> hops;
  std::map<const Hop*, Resolved> places;
};

namespace {

// What the SSH configuration makes of each host, and where the first hop on the way to it is.
struct LocatedHosts {
  std::vector<std::shared_ptr<const Hop>> hops;
  std::map<const Hop*, Resolved> places;
  std::vector<std::string> notes;

  const Resolved& place_of(std::size_t host) const { return places.at(&hops[host]->first()); }
};

LocatedHosts find(const std::vector<Host>& hosts, const SshOptions& options,
                  std::chrono::milliseconds deadline) {
  LocatedHosts located;
  Routes routes(options);
  std::vector<const Hop*> firsts;
  std::vector<Endpoint> endpoints;
  for (const Host& host : hosts) {
    located.hops.push_back(routes.to(host));
    const Hop& first = located.hops.back()->first();
    if (!located.places.emplace(&first, Resolved()).second) continue;
    const SshSettings& settings = first.credentials.settings;
    firsts.push_back(&first);
    endpoints.push_back({settings.hostname, settings.port, settings.family});
  }
  std::vector<Resolved> resolved = resolve_all(endpoints, deadline);
  for (std::size_t i = 0; i < firsts.size(); ++i) located.places[firsts[i]] = std::move(resolved[i]);
  located.notes = routes.notes();
  return located;
}

// Throws Error with all of them.
void require_places(const LocatedHosts& located) {
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < located.hops.size(); ++i) {
    const std::string& reason = located.place_of(i).reason;
    if (!reason.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(reason);
  }
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "\n") + reason;
  if (!text.empty()) throw Error(text);
}

// By which other hosts reach each one. What is behind a jump host goes by its name: it may not even be known
// here.
std::vector<std::string> addresses_of(const LocatedHosts& located) {
  std::vector<std::vector<SocketAddress>> straight;
  for (std::size_t i = 0; i < located.hops.size(); ++i)
    if (!located.hops[i]->before) straight.push_back(located.place_of(i).addresses);
  std::vector<std::string> outside = outside_addresses(straight);
  std::vector<std::string> addresses;
  auto next = outside.begin();
  addresses.reserve(located.hops.size());
  for (const std::shared_ptr<const Hop>& hop : located.hops)
    addresses.push_back(hop->before ? hop->credentials.settings.hostname : *next++);
  return addresses;
}

// A reason of the resolver begins with the host's name.
std::string without_name(const std::string& reason) {
  const std::size_t colon = reason.find(": ");
  return colon == std::string::npos ? reason : reason.substr(colon + 2);
}

std::string reason_of(const LocatedHosts& located, std::size_t host) {
  const std::string& reason = located.place_of(host).reason;
  if (reason.empty() || !located.hops[host]->before) return without_name(reason);
  return "jump host " + reason;
}

std::vector<SshPlace> places_in(const LocatedHosts& located) {
  const std::vector<std::string> addresses = addresses_of(located);
  std::vector<SshPlace> places;
  for (std::size_t i = 0; i < located.hops.size(); ++i) {
    const Hop& hop = *located.hops[i];
    const SshSettings& settings = hop.credentials.settings;
    places.push_back({settings.user, settings.port, addresses[i], reason_of(located, i), settings.jumps, {}});
    if (hop.before) continue;
    for (const SocketAddress& address : located.place_of(i).addresses)
      places.back().addresses.push_back(address.text());
  }
  return places;
}

SshTargets targets_in(LocatedHosts located) {
  SshTargets targets{addresses_of(located), std::make_shared<SshTargets::Impl>()};
  targets.places = places_in(located);
  targets.notes = std::move(located.notes);
  targets.impl->places = std::move(located.places);
  targets.impl->hops = std::move(located.hops);
  return targets;
}

// Ways to dial, in which hosts with the same jump host share it.
class Dials {
 public:
  Dials(std::shared_ptr<const SshTargets::Impl> targets, const LinkOptions& options)
      : targets_(std::move(targets)), options_(options) {}

  MakeDial to(const Hop& hop) {
    if (hop.before)
      return dial_through(jump_host(*hop.before), hop.credentials.settings.hostname,
                          hop.credentials.settings.port);
    return [place = targets_->places.at(&hop)] {
      if (place.addresses.empty()) throw Error(without_name(place.reason));
      return std::make_unique<AddressDial>(place.addresses);
    };
  }

 private:
  std::shared_ptr<JumpHost> jump_host(const Hop& hop) {
    std::shared_ptr<JumpHost>& jump = jumps_[&hop];
    if (!jump || jump->broken())
      jump = std::make_shared<JumpHost>(hop.name, hop.credentials, to(hop), options_.connect_timeout);
    return jump;
  }

  const std::shared_ptr<const SshTargets::Impl> targets_;
  const LinkOptions options_;
  std::map<const Hop*, std::shared_ptr<JumpHost>> jumps_;
};

std::string shell_words(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + base::shell_word(word);
  return text;
}

}  // namespace

SshTargets locate(const std::vector<Host>& hosts, const SshOptions& options,
                  std::chrono::milliseconds deadline) {
  LocatedHosts located = find(hosts, options, deadline);
  require_places(located);
  return targets_in(std::move(located));
}

SshTargets locate_each(const std::vector<Host>& hosts, const SshOptions& options,
                       std::chrono::milliseconds deadline) {
  return targets_in(find(hosts, options, deadline));
}

std::vector<SshPlace> look_up(const std::vector<Host>& hosts, const SshOptions& options,
                              std::chrono::milliseconds deadline) {
  return places_in(find(hosts, options, deadline));
}

std::unique_ptr<Transport> connect_ssh(const SshTargets& targets, AgentSource agent,
                                       const LinkOptions& options) {
  const std::string command = agent_call(agent);
  const auto source = std::make_shared<const AgentSource>(std::move(agent));
  std::vector<std::unique_ptr<Link>> links;
  const auto dials = std::make_shared<Dials>(targets.impl, options);
  for (const std::shared_ptr<const Hop>& hop : targets.impl->hops)
    links.push_back(std::make_unique<UploadLink>(
        std::make_unique<SshLink>(hop->credentials, dials->to(*hop), command), source));
  const auto relink = [dials, impl = targets.impl](std::uint32_t node,
                                                   const std::vector<std::string>& words) {
    const Hop& hop = *impl->hops[node];
    return std::make_unique<SshLink>(hop.credentials, dials->to(hop), "exec " + shell_words(words));
  };
  return std::make_unique<Loop>(std::move(links), options, relink);
}

std::unique_ptr<Transport> connect_local(std::size_t nodes, const std::string& agent,
                                         const LinkOptions& options, const base::FileLimit& files) {
  std::vector<std::unique_ptr<Link>> links;
  for (std::size_t node = 0; node < nodes; ++node)
    links.push_back(
        std::make_unique<PipeLink>(std::vector<std::string>{agent}, PipeLink::Stderr::ours, files));
  return std::make_unique<Loop>(std::move(links), options);
}

std::unique_ptr<Transport> connect_slurm(const std::vector<SlurmNode>& nodes, const std::string& agent,
                                         const LinkOptions& options, const base::FileLimit& files) {
  const std::string srun = find_srun();
  std::vector<std::unique_ptr<Link>> links;
  links.reserve(nodes.size());
  for (const SlurmNode& node : nodes)
    links.push_back(std::make_unique<SrunLink>(srun, node, std::vector{agent}, files));
  const auto relink = [srun, nodes, &files](std::uint32_t node, const std::vector<std::string>& words) {
    return std::make_unique<SrunLink>(srun, nodes[node], words, files);
  };
  return std::make_unique<Loop>(std::move(links), options, relink);
}

}  // namespace adarun::launcher
