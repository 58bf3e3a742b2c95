// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/connect.h"

#include "launcher/error.h"
#include "launcher/transport/bringing_link.h"
#include "launcher/transport/loop.h"
#include "launcher/transport/outside_addresses.h"
#include "launcher/transport/pipe_link.h"
#include "launcher/transport/resolve.h"
#include "launcher/transport/ssh_link.h"
#include "launcher/transport/ssh_session.h"

namespace adarun::launcher {

struct SshTargets::Impl {
  struct Target {
    SshSession session;
    std::vector<SocketAddress> addresses;
  };
  std::vector<Target> targets;
  SshKey key;
  HostKey policy = HostKey::strict;
};

namespace {

// What the SSH configuration makes of each host, and where that is.
struct Found {
  std::vector<SshSession> sessions;
  std::vector<int> ports;
  std::vector<Resolved> places;
};

Found find(const std::vector<Host>& hosts, const SshOptions& options, std::chrono::milliseconds deadline) {
  Found found;
  std::vector<Endpoint> endpoints;
  for (const Host& host : hosts) {
    found.sessions.push_back(make_session(host, options));
    const SshAddress address = address_of(found.sessions.back().get());
    endpoints.push_back({address.hostname, address.port});
    found.ports.push_back(address.port);
  }
  found.places = resolve_all(endpoints, deadline);
  return found;
}

}  // namespace

SshTargets locate(const std::vector<Host>& hosts, const SshOptions& options,
                  std::chrono::milliseconds deadline) {
  SshTargets located{{}, std::make_shared<SshTargets::Impl>(), {}};
  located.impl->key = load_key(options.identity);
  located.impl->policy = options.host_key;
  Found found = find(hosts, options, deadline);
  std::string wrong;
  std::vector<std::vector<SocketAddress>> addresses;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    Resolved& place = found.places[i];
    if (!place.reason.empty()) wrong += (wrong.empty() ? "" : "\n") + place.reason;
    addresses.push_back(place.addresses);
    located.impl->targets.push_back({std::move(found.sessions[i]), std::move(place.addresses)});
  }
  if (!wrong.empty()) throw Error(wrong);
  located.addresses = outside_addresses(addresses);
  located.ports = std::move(found.ports);
  return located;
}

std::vector<std::string> why_unknown(const std::vector<Host>& hosts, const SshOptions& options,
                                     std::chrono::milliseconds deadline) {
  std::vector<std::string> reasons;
  for (const Resolved& place : find(hosts, options, deadline).places) {
    const std::size_t colon = place.reason.find(": ");
    reasons.push_back(colon == std::string::npos ? place.reason : place.reason.substr(colon + 2));
  }
  return reasons;
}

std::unique_ptr<Transport> connect_ssh(const SshTargets& targets, AgentSource agent,
                                       const LinkOptions& options) {
  const std::string command = agent_call(agent);
  const auto source = std::make_shared<const AgentSource>(std::move(agent));
  std::vector<std::unique_ptr<Link>> links;
  for (SshTargets::Impl::Target& target : targets.impl->targets)
    links.push_back(std::make_unique<BringingLink>(
        std::make_unique<SshLink>(std::move(target.session), std::move(target.addresses), command,
                                  targets.impl->policy, targets.impl->key),
        source));
  return std::make_unique<Loop>(std::move(links), options);
}

std::unique_ptr<Transport> connect_local(std::size_t nodes, const std::string& agent,
                                         const LinkOptions& options, const FileLimit& files) {
  std::vector<std::unique_ptr<Link>> links;
  for (std::size_t node = 0; node < nodes; ++node)
    links.push_back(std::make_unique<PipeLink>(std::vector<std::string>{agent}, files));
  return std::make_unique<Loop>(std::move(links), options);
}

}  // namespace adarun::launcher
