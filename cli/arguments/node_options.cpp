// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/node_options.h"

#include <CLI/CLI.hpp>

#include "cli/arguments/choice.h"
#include "cli/arguments/command.h"
#include "cli/arguments/path_on_nodes.h"
#include "cli/arguments/quantity_option.h"
#include "cli/arguments/via_option.h"
#include "launcher/base/error.h"
#include "launcher/hosts/read.h"
#include "launcher/transport/loop/loop.h"

namespace adarun::cli {
namespace {

std::vector<launcher::Host> hosts_of_job(const NodeOptions& options) {
  return options.reach->has_hosts() ? options.reach->hosts(options)
                                    : launcher::read_job_hosts(options.job_hosts);
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
      .add_option_function<std::string>(
          "--agent", [&options](const std::string& path) { options.agent = program_on_nodes(path); },
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
  return !options.hosts.empty() || !options.job_hosts.list.empty() || options.reach->has_hosts();
}

std::vector<launcher::Host> hosts_in(const NodeOptions& options) {
  try {
    std::vector<launcher::Host> hosts =
        options.hosts.empty() ? hosts_of_job(options) : launcher::read_hosts(options.hosts);
    if (!options.exclude.empty()) hosts = launcher::without(hosts, options.exclude);
    options.reach->require(hosts, options);
    return hosts;
  } catch (const launcher::Error& error) {
    throw Quit(exit_usage, error.what());
  }
}

std::unique_ptr<launcher::Transport> connect(const NodeOptions& options, const launcher::Targets& targets,
                                             const std::vector<launcher::Host>& hosts,
                                             const base::FileLimit& files) {
  auto loop = std::make_unique<launcher::Loop>(options.link_options(launcher::default_lease), options.log);
  loop->add(options.reach->links(hosts, targets, options, files));
  return loop;
}

}  // namespace adarun::cli
