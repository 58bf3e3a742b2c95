// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/located_hosts.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/hosts/name_ranges.h"

namespace adarun::launcher {
namespace {

// The first address that is no loopback address, else the first one.
const SocketAddress& best_of(const std::vector<SocketAddress>& addresses) {
  const auto outside = std::find_if_not(addresses.begin(), addresses.end(),
                                        [](const SocketAddress& each) { return each.is_loopback(); });
  return outside == addresses.end() ? addresses.front() : *outside;
}

}  // namespace

std::vector<std::string> outside_addresses(
    const std::vector<std::vector<SocketAddress>>& hosts,
    const std::function<std::string(const SocketAddress&)>& own_address) {
  const auto elsewhere = std::find_if(hosts.begin(), hosts.end(), [](const auto& each) {
    return !each.empty() && !best_of(each).is_loopback();
  });
  const std::string own = elsewhere == hosts.end() ? "" : own_address(best_of(*elsewhere));
  std::vector<std::string> texts;
  for (const std::vector<SocketAddress>& addresses : hosts) {
    if (addresses.empty()) {
      texts.emplace_back();
      continue;
    }
    const SocketAddress& best = best_of(addresses);
    texts.push_back(best.is_loopback() && !own.empty() ? own : best.text());
  }
  return texts;
}

namespace {

// "node1: ", "node2: " -> "node[1-2]: ".
std::string names_before(std::vector<std::string> names) {
  constexpr std::string_view behind = ": ";
  for (std::string& name : names)
    if (name.ends_with(behind)) name.resize(name.size() - behind.size());
  const std::string folded = fold_names(names);
  return folded.empty() ? "" : folded + std::string(behind);
}

}  // namespace

std::string LocatedHosts::reason_of(std::size_t host) const {
  const Resolved& place = place_of(host);
  if (place.reason.empty() || !hops[host]->before) return place.reason_without_name();
  return "jump host " + place.reason;
}

std::vector<std::string> LocatedHosts::addresses() const {
  std::vector<std::vector<SocketAddress>> straight;
  for (std::size_t i = 0; i < hops.size(); ++i)
    if (!hops[i]->before) straight.push_back(place_of(i).addresses);
  std::vector<std::string> outside = outside_addresses(straight);
  std::vector<std::string> addresses;
  auto next = outside.begin();
  addresses.reserve(hops.size());
  for (const std::shared_ptr<const Hop>& hop : hops)
    addresses.push_back(hop->before ? hop->credentials.settings.hostname : *next++);
  return addresses;
}

void LocatedHosts::require_all() const {
  std::vector<std::string> reasons;  // in the order of hosts
  std::map<std::string, std::vector<std::string>> names;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    const Resolved& place = place_of(i);
    if (place.reason.empty()) continue;
    const std::string reason = place.reason_without_name();
    const std::string name = place.reason.substr(0, place.reason.size() - reason.size());
    std::vector<std::string>& alike = names[reason];
    if (alike.empty()) reasons.push_back(reason);
    if (std::ranges::find(alike, name) == alike.end()) alike.push_back(name);
  }
  std::string text;
  for (const std::string& reason : reasons)
    text += (text.empty() ? "" : "\n") + names_before(names[reason]) + reason;
  if (!text.empty()) throw Error(text);
}

LocatedHosts locate_hosts(const std::vector<Host>& hosts, const SshOptions& options,
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

}  // namespace adarun::launcher
