// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/connect.h"

#include "launcher/error.h"
#include "launcher/shell_word.h"
#include "launcher/transport/dial.h"
#include "launcher/transport/loop.h"
#include "launcher/transport/outside_addresses.h"
#include "launcher/transport/pipe_link.h"
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

SshTargets locate(const std::vector<Host>& hosts, const SshOptions& options) {
  SshTargets located{{}, std::make_shared<SshTargets::Impl>()};
  located.impl->key = load_key(options.identity);
  located.impl->policy = options.host_key;
  std::string wrong;
  std::vector<std::vector<SocketAddress>> found;
  for (const Host& host : hosts) {
    SshSession session = make_session(host, options);
    const SshAddress address = address_of(session.get());
    try {
      found.push_back(resolve(address.hostname, address.port));
      located.impl->targets.push_back({std::move(session), found.back()});
    } catch (const Error& error) {
      wrong += (wrong.empty() ? "" : "\n") + std::string(error.what());
    }
  }
  if (!wrong.empty()) throw Error(wrong);
  located.addresses = outside_addresses(found);
  return located;
}

std::unique_ptr<Transport> connect_ssh(const SshTargets& targets, const std::string& agent,
                                       const LinkOptions& options) {
  std::vector<std::unique_ptr<Link>> links;
  for (SshTargets::Impl::Target& target : targets.impl->targets)
    links.push_back(std::make_unique<SshLink>(std::move(target.session), std::move(target.addresses),
                                              "exec " + shell_word(agent), targets.impl->policy,
                                              targets.impl->key));
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
