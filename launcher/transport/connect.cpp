// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/connect.h"

#include <utility>

#include "base/shell_word.h"
#include "launcher/transport/command/command_link.h"
#include "launcher/transport/local/pipe_link.h"
#include "launcher/transport/loop/loop.h"
#include "launcher/transport/ssh/dials.h"
#include "launcher/transport/ssh/located_hosts.h"
#include "launcher/transport/ssh/ssh_link.h"
#include "launcher/transport/upload_link.h"

namespace adarun::launcher {
namespace {

std::vector<SshPlace> places_in(const LocatedHosts& located) {
  const std::vector<std::string> addresses = located.addresses();
  std::vector<SshPlace> places;
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

SshTargets targets_in(LocatedHosts located) {
  SshTargets targets{located.addresses()};
  targets.places = places_in(located);
  targets.notes = located.notes;
  targets.located = std::make_shared<const LocatedHosts>(std::move(located));
  return targets;
}

}  // namespace

SshTargets locate(const std::vector<Host>& hosts, const SshOptions& options,
                  std::chrono::milliseconds deadline) {
  LocatedHosts located = locate_hosts(hosts, options, deadline);
  located.require_all();
  return targets_in(std::move(located));
}

SshTargets locate_each(const std::vector<Host>& hosts, const SshOptions& options,
                       std::chrono::milliseconds deadline) {
  return targets_in(locate_hosts(hosts, options, deadline));
}

std::vector<SshPlace> look_up(const std::vector<Host>& hosts, const SshOptions& options,
                              std::chrono::milliseconds deadline) {
  return places_in(locate_hosts(hosts, options, deadline));
}

std::unique_ptr<Transport> connect_ssh(const SshTargets& targets, AgentSource agent,
                                       const LinkOptions& options) {
  const std::string command = agent_call(agent);
  const auto source = std::make_shared<const AgentSource>(std::move(agent));
  std::vector<std::unique_ptr<Link>> links;
  const auto dials = std::make_shared<Dials>(targets.located, options.connect_timeout);
  for (const std::shared_ptr<const Hop>& hop : targets.located->hops)
    links.push_back(std::make_unique<UploadLink>(
        std::make_unique<SshLink>(hop->credentials, dials->to(*hop), command), source));
  const auto relink = [dials, located = targets.located](std::uint32_t node,
                                                         const std::vector<std::string>& words) {
    const Hop& hop = *located->hops[node];
    return std::make_unique<SshLink>(hop.credentials, dials->to(hop), "exec " + base::shell_words(words));
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

std::unique_ptr<Transport> connect_slurm(const std::vector<SlurmNode>& nodes, AgentSource agent,
                                         const LinkOptions& options, const base::FileLimit& files) {
  const std::string srun = find_srun();
  agent.builds.clear();
  const bool is_chosen = agent.path_choice == AgentSource::PathChoice::by_user;
  const std::vector<std::string> program = is_chosen ? std::vector{agent.path} : agent_command(agent);
  std::vector<std::unique_ptr<Link>> links;
  links.reserve(nodes.size());
  for (const SlurmNode& node : nodes) links.push_back(std::make_unique<SrunLink>(srun, node, program, files));
  const auto relink = [srun, nodes, &files](std::uint32_t node, const std::vector<std::string>& words) {
    return std::make_unique<SrunLink>(srun, nodes[node], words, files);
  };
  return std::make_unique<Loop>(std::move(links), options, relink);
}

std::unique_ptr<Transport> connect_command(const RemoteCommand& command,
                                           const std::vector<CommandTarget>& targets, AgentSource agent,
                                           const LinkOptions& options, const base::FileLimit& files) {
  const std::vector<std::string> program = agent_command(agent);
  const auto source = std::make_shared<const AgentSource>(std::move(agent));
  std::vector<std::unique_ptr<Link>> links;
  links.reserve(targets.size());
  for (const CommandTarget& target : targets)
    links.push_back(
        std::make_unique<UploadLink>(std::make_unique<CommandLink>(command, target, program, files), source));
  const auto relink = [command, targets, &files](std::uint32_t node, const std::vector<std::string>& words) {
    return std::make_unique<CommandLink>(command, targets[node], words, files);
  };
  return std::make_unique<Loop>(std::move(links), options, relink);
}

}  // namespace adarun::launcher
