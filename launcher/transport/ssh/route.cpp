// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/route.h"

#include <utility>

#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

constexpr int most_jumps = 16;

}  // namespace

Routes::Routes(const SshOptions& options) : options_(options), config_(options) {}

std::shared_ptr<const Hop> Routes::to(const Host& host) {
  SshSettings settings = config_.settings_for(host);
  std::shared_ptr<const Hop> before = through(settings.jumps);
  return std::make_shared<Hop>(
      Hop{host.name, credentials_for(std::move(settings), options_.identity), std::move(before)});
}

Credentials Routes::credentials_for(SshSettings settings, const std::string& required_key) {
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
std::shared_ptr<const Hop> Routes::through(const std::vector<std::string>& jumps) {
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

}  // namespace adarun::launcher
