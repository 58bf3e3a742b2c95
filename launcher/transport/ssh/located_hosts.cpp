// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/located_hosts.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/hosts/name_ranges.h"
#include "launcher/transport/ssh/config/config.h"
#include "launcher/transport/ssh/known_hosts.h"
#include "launcher/transport/ssh/login_keys.h"

namespace adarun::launcher {
namespace {

constexpr int most_jumps = 16;

// Finds the route to hosts, from command line, configuration, key files and known_hosts files. Each file is
// read once; nothing is connected. Hosts with the same ProxyJump share its hops. All functions throw Error.
class Routes {
 public:
  explicit Routes(const SshOptions& options) : options_(options), config_(options) {}

  std::shared_ptr<const Hop> to(const Host& host) {
    SshSettings settings = config_.settings_for(host);
    std::shared_ptr<const Hop> before = through(settings.jumps);
    return std::make_shared<Hop>(
        Hop{host.name, credentials_for(std::move(settings), options_.identity), std::move(before)});
  }

  // Lines of the configuration that are not followed: one sentence each.
  const std::vector<std::string>& notes() const { return config_.notes(); }

 private:
  Credentials credentials_for(SshSettings settings, const std::string& required_key) {
    Credentials credentials;
    HostKeyRule& rule = credentials.host_key;
    rule.policy = settings.host_key;
    rule.name = settings.key_name;
    if (!settings.user_known_hosts.empty()) rule.file = settings.user_known_hosts.front();
    std::vector<std::string> files = settings.user_known_hosts;
    files.insert(files.end(), settings.global_known_hosts.begin(), settings.global_known_hosts.end());
    rule.known = known_hosts_.keys_of(rule.name, files);
    const bool has_port = rule.name.starts_with("[" + settings.hostname + "]:");
    if (has_port && rule.known.empty())
      rule.known_without_port = known_hosts_.keys_of(settings.hostname, files);
    rule.new_keys = new_keys_;
    credentials.keys = keys_.keys_for(settings, required_key);
    credentials.settings = std::move(settings);
    return credentials;
  }

  // The hop of the last of some jump hosts. Each is reached through those before it, and the first as its own
  // configuration says.
  std::shared_ptr<const Hop> through(const std::vector<std::string>& jumps) {
    if (jumps.empty()) return nullptr;
    if (const auto known = jumps_.find(jumps); known != jumps_.end()) return known->second;
    if (++depth_ > most_jumps) throw Error(jumps.back() + ": jump hosts that lead to each other (ProxyJump)");
    SshSettings settings = config_.settings_for_jump(jumps.back());
    const bool is_first = jumps.size() == 1;
    std::shared_ptr<const Hop> before =
        through(is_first ? settings.jumps : std::vector<std::string>(jumps.begin(), jumps.end() - 1));
    --depth_;
    auto hop = std::make_shared<const Hop>(
        Hop{jumps.back(), credentials_for(std::move(settings), ""), std::move(before)});
    return jumps_.emplace(jumps, std::move(hop)).first->second;
  }

  SshOptions options_;
  SshConfig config_;
  KnownHosts known_hosts_;
  KeyRing keys_;
  std::shared_ptr<NewKeys> new_keys_ = std::make_shared<NewKeys>();
  std::map<std::vector<std::string>, std::shared_ptr<const Hop>> jumps_;
  int depth_ = 0;  // Of the recursion of through().
};

// The first address that is no loopback address, else the first one.
const SocketAddress& best_of(const std::vector<SocketAddress>& addresses) {
  const auto outside = std::find_if_not(addresses.begin(), addresses.end(),
                                        [](const SocketAddress& each) { return each.is_loopback(); });
  return outside == addresses.end() ? addresses.front() : *outside;
}

// "node1: ", "node2: " -> "node[1-2]: ".
std::string names_before(std::vector<std::string> names) {
  constexpr std::string_view behind = ": ";
  for (std::string& name : names)
    if (name.ends_with(behind)) name.resize(name.size() - behind.size());
  const std::string folded = fold_names(names);
  return folded.empty() ? "" : folded + std::string(behind);
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
