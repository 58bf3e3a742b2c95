// SPDX-License-Identifier: Apache-2.0
#include "cli/options/node_options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>

#include "cli/options/choice.h"
#include "cli/options/command.h"
#include "cli/options/path_on_nodes.h"
#include "cli/options/quantity_option.h"
#include "cli/options/via_option.h"
#include "launcher/base/error.h"
#include "launcher/hosts/read.h"
#include "launcher/hosts/slurm_allocation.h"
#include "launcher/transport/command/output_of.h"
#include "launcher/transport/command/split_words.h"
#include "launcher/transport/loop/transport_log.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

launcher::AgentSource agent_source(const NodeOptions& options) {
  using PathChoice = launcher::AgentSource::PathChoice;
  return {agent_of(options), options.agent.empty() ? PathChoice::by_default : PathChoice::by_user,
          launcher::builds_in(own_folder())};
}

launcher::Allocation allocation() {
  return launcher::read_allocation([](const char* name) { return std::getenv(name); });
}

std::vector<launcher::SlurmNode> slurm_nodes(const std::vector<launcher::Host>& hosts) {
  const std::vector<int> cpus = cpus_of(allocation(), hosts);
  std::vector<launcher::SlurmNode> nodes;
  for (std::size_t i = 0; i < hosts.size(); ++i) nodes.push_back({hosts[i].name, cpus[i]});
  return nodes;
}

launcher::SshOptions no_ssh_config() {
  launcher::SshOptions none;
  none.config_file = "/dev/null";
  return none;
}

// Names of Slurm's nodes are known to the resolver; ~/.ssh/config does not apply to them. It may say more to
// OpenSSH than we follow: then names are looked up without it.
std::vector<launcher::SshPlace> look_up(const std::vector<launcher::Host>& hosts,
                                        const NodeOptions& options) {
  if (options.via == Via::ssh) return launcher::look_up(hosts, options.ssh, options.connect_timeout);
  if (options.preset != nullptr && options.preset->reads_ssh_config) try {
      launcher::SshOptions config;
      config.config_file = options.ssh.config_file;
      return launcher::look_up(hosts, config, options.connect_timeout);
    } catch (const launcher::Error&) {
    }
  return launcher::look_up(hosts, no_ssh_config(), options.connect_timeout);
}

std::vector<launcher::CommandTarget> command_targets(const std::vector<launcher::Host>& hosts,
                                                     const NodeOptions& options) {
  std::vector<launcher::CommandTarget> targets;
  targets.reserve(hosts.size());
  for (const launcher::Host& host : hosts) targets.push_back(command_target(host, options));
  return targets;
}

bool has_hostlist(const NodeOptions& options) {
  return options.preset != nullptr && options.preset->hostlist != nullptr;
}

std::vector<launcher::Host> hosts_of_job(const NodeOptions& options) {
  if (options.via == Via::slurm) return allocation().hosts;
  if (!has_hostlist(options)) return launcher::read_job_hosts(options.job_hosts);
  const std::string command = options.preset->hostlist;
  std::string list = launcher::output_of(launcher::split_words(command), options.connect_timeout);
  list.erase(list.find_last_not_of(" \n") + 1);
  return launcher::read_job_hosts({list, command});
}

void require_command_words(const std::vector<launcher::Host>& hosts, const NodeOptions& options) {
  for (const launcher::Host& host : hosts) words_of(options.command, command_target(host, options), {});
}

void add_ssh(CLI::App& command, NodeOptions& options) {
  using launcher::HostKey;
  command.add_option("--ssh-config", options.ssh.config_file, "Instead of ~/.ssh/config")->type_name("FILE");
  command.add_option("--identity", options.ssh.identity, "Private key, the only one to try")
      ->type_name("FILE");
  command.add_option("--user", options.ssh.user, "Login name")->type_name("NAME");
  add_number(command, "--port", options.ssh.port, {1, 65535}, "Port of the nodes' sshd");
  add_choice<HostKey>(command, "--host-key", options.ssh.host_key,
                      {{"strict", HostKey::strict}, {"accept-new", HostKey::accept_new}},
                      "For a host whose key is unknown (default: as the ssh config says, else strict)");
}

std::unique_ptr<launcher::Transport> connect_silently(const NodeOptions& options,
                                                      const launcher::SshTargets& targets,
                                                      const std::vector<launcher::Host>& hosts,
                                                      const base::FileLimit& files,
                                                      std::chrono::milliseconds lease) {
  const launcher::LinkOptions links{options.connect_timeout, lease, options.fanout};
  switch (options.via) {
    case Via::slurm:
      return launcher::connect_slurm(slurm_nodes(hosts), agent_source(options), links, files);
    case Via::local:
      return launcher::connect_local(hosts.size(), agent_of(options), links, files);
    case Via::command:
      return launcher::connect_command(options.command, command_targets(hosts, options),
                                       agent_source(options), links, files);
    case Via::ssh:
      break;
  }
  return launcher::connect_ssh(targets, agent_source(options), links);
}

// "user@10.0.0.1 port 22, through gate".
std::string way_to(const launcher::SshPlace& place) {
  if (place.address.empty()) return "no address: " + place.reason;
  std::string text = (place.user.empty() ? "" : place.user + "@") + place.address;
  if (place.port != 0) text += " port " + std::to_string(place.port);
  for (const std::string& jump : place.jumps) text += ", through " + jump;
  return "address: " + text;
}

}  // namespace

void add_host_list(CLI::App& command, NodeOptions& options) {
  command
      .add_option("-H,--hosts", options.hosts,
                  "Hosts: a hostfile (lines \"host slots=8\"), or a list such as node[1-4]:8,@FILE,gpu9:4")
      ->type_name("LIST");
  command
      .add_option("-x,--exclude", options.exclude,
                  "Leave these hosts of the list out: node3,gpu[1-2] or @FILE")
      ->type_name("LIST");
}

void require_hosts_to_exclude(const NodeOptions& options) {
  if (!options.exclude.empty() && !has_hosts(options)) throw CLI::RequiresError("--exclude", "--hosts");
}

void log_via_choice(const NodeOptions& options) {
  if (options.log != nullptr && !options.via_note.empty())
    options.log->warning(options.via_note + (options.hosts.empty() && !options.job_hosts.list.empty()
                                                 ? "; hosts: " + options.job_hosts.list
                                                 : ""));
}

void add_node_options(CLI::App& command, NodeOptions& options) {
  command.parse_complete_callback([&options] {
    require_hosts_to_exclude(options);
    log_via_choice(options);
  });
  add_via(command, options);
  command
      .add_option("--agent", options.agent,
                  "Path of adarun-agent on the nodes (default: where adarun itself lies); brought there if "
                  "it is missing")
      ->type_name("PATH");
  add_duration(command, "--connect-timeout", options.connect_timeout,
               "Give a node up after this time (default: " + duration_text(options.connect_timeout) + ")");
  add_number(command, "--fanout", options.fanout, {1, 65536},
             "How many nodes connect at once (default: " + std::to_string(options.fanout) + ")");
  add_ssh(command, options);
}

bool has_hosts(const NodeOptions& options) {
  return !options.hosts.empty() || !options.job_hosts.list.empty() || options.via == Via::slurm ||
         has_hostlist(options);
}

std::vector<launcher::Host> hosts_in(const NodeOptions& options) {
  try {
    const bool by_slurm = options.via == Via::slurm;
    std::vector<launcher::Host> hosts =
        options.hosts.empty() ? hosts_of_job(options) : launcher::read_hosts(options.hosts);
    if (!options.exclude.empty()) hosts = launcher::without(hosts, options.exclude);
    if (by_slurm) cpus_of(allocation(), hosts);
    if (options.via == Via::command) require_command_words(hosts, options);
    return hosts;
  } catch (const launcher::Error& error) {
    throw Quit(exit_usage, error.what());
  }
}

launcher::SshTargets targets_of(const std::vector<launcher::Host>& hosts, const NodeOptions& options) {
  if (options.via == Via::local) return {std::vector<std::string>(hosts.size(), "127.0.0.1"), nullptr};
  if (options.via == Via::command) return locate_each(hosts, options);
  return launcher::locate(hosts, options.via == Via::ssh ? options.ssh : no_ssh_config(),
                          options.connect_timeout);
}

std::vector<launcher::SshPlace> places_of(const std::vector<launcher::Host>& hosts,
                                          const NodeOptions& options) {
  if (options.via == Via::local)
    return std::vector<launcher::SshPlace>(hosts.size(), {"", 0, "127.0.0.1", "", {}, {}});
  std::vector<launcher::SshPlace> places = look_up(hosts, options);
  if (options.via == Via::slurm || options.via == Via::command)
    for (launcher::SshPlace& place : places)
      place = {"", 0, place.address, place.reason, {}, place.addresses};
  for (std::size_t i = 0; options.via == Via::command && i < hosts.size(); ++i)
    if (places[i].address.empty()) places[i] = {"", 0, hosts[i].name, "", {}, {}};
  return places;
}

launcher::SshTargets locate_each(const std::vector<launcher::Host>& hosts, const NodeOptions& options) {
  if (options.via == Via::ssh) return launcher::locate_each(hosts, options.ssh, options.connect_timeout);
  launcher::SshTargets targets;
  targets.places = places_of(hosts, options);
  for (std::size_t i = 0; i < hosts.size(); ++i)  // With --via local, nodes are identified by name.
    targets.addresses.push_back(options.via == Via::local ? hosts[i].name : targets.places[i].address);
  return targets;
}

void say_targets(const std::vector<launcher::Host>& hosts, const launcher::SshTargets& targets,
                 diagnostics::Log* log) {
  if (log == nullptr) return;
  for (const std::string& note : targets.notes) log->warning(note);
  for (std::size_t i = 0; i < targets.places.size() && i < hosts.size(); ++i)
    log->write(diagnostics::Level::debug, hosts[i].name, way_to(targets.places[i]));
}

launcher::CommandTarget command_target(const launcher::Host& host, const NodeOptions& options) {
  using launcher::HostKey;
  const launcher::SshOptions& ssh = options.ssh;
  return {host.name,
          host.user.empty() ? ssh.user : host.user,
          host.port == 0 ? ssh.port : host.port,
          ssh.identity,
          ssh.config_file,
          !ssh.host_key                      ? ""
          : *ssh.host_key == HostKey::strict ? "yes"
                                             : "accept-new"};
}

std::string agent_of(const NodeOptions& options) {
  return options.agent.empty() ? own_folder() / "adarun-agent" : fs::path(program_on_nodes(options.agent));
}

std::unique_ptr<launcher::Transport> connect(const NodeOptions& options, const launcher::SshTargets& targets,
                                             const std::vector<launcher::Host>& hosts,
                                             const base::FileLimit& files, std::chrono::milliseconds lease) {
  std::unique_ptr<launcher::Transport> transport = connect_silently(options, targets, hosts, files, lease);
  if (options.log == nullptr) return transport;
  std::vector<std::string> names;
  names.reserve(hosts.size());
  for (const launcher::Host& host : hosts) names.push_back(host.name);
  return std::make_unique<launcher::TransportLog>(std::move(transport), std::move(names), *options.log);
}

}  // namespace adarun::cli
