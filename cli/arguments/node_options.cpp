// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/node_options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/clean_text.h"
#include "base/log/log.h"
#include "cli/arguments/command.h"
#include "cli/arguments/option_values.h"
#include "launcher/base/error.h"
#include "launcher/hosts/host_list.h"
#include "launcher/transport/command/command_reach.h"
#include "launcher/transport/local/local_reach.h"
#include "launcher/transport/loop/loop.h"
#include "launcher/transport/slurm/slurm_reach.h"

namespace adarun::cli {
namespace {

constexpr std::string_view exec_prefix = "exec:";

std::string via_words() {
  std::string words = "ssh|slurm|local";
  for (const launcher::CommandPreset& preset : launcher::command_presets())
    words += std::string("|") + preset.name;
  return words + "|auto|exec:WORDS|help";
}

std::string via_help() {
  return "ssh: adarun's own SSH client\n"
         "slurm: srun, inside a Slurm job\n"
         "local: all nodes are this machine\n"
         "auto: flux, slurm, pbs or lsf inside their jobs, else ssh\n" +
         launcher::presets_text() +
         "exec:WORDS: any command that passes stdin and stdout on to a program there. {host} stands for the\n"
         "    node, {user} and {port} for those of the host list, {command} for the program as one quoted\n"
         "    text; without {command} the program follows as words. See docs/transports.md.";
}

const char* environment_variable(const char* name) {
  return std::getenv(name);
}

void take_way(NodeOptions& options, const std::string& text) {
  if (text == "ssh") {
    options.reach = launcher::ssh_reach();
  } else if (text == "slurm") {
    options.reach = launcher::slurm_reach();
  } else if (text == "local") {
    options.reach = launcher::local_reach();
  } else if (const launcher::CommandPreset* preset = launcher::command_preset(text)) {
    options.reach = launcher::command_reach(
        launcher::parse_remote_command(preset->name, preset->line, environment_variable), preset);
    if (preset->job_hosts != nullptr) options.job_hosts = preset->job_hosts(environment_variable);
  } else if (text.starts_with(exec_prefix)) {
    options.reach = launcher::command_reach(
        launcher::parse_remote_command("exec", text.substr(exec_prefix.size()), environment_variable));
  } else {
    throw CLI::ValidationError("--via", "\"" + text + "\": wanted " + via_words());
  }
}

// The innermost one first: Flux is often started inside a job of another one.
void choose_way(NodeOptions& options) {
  for (const std::string way : {"flux", "slurm", "pbs", "lsf"}) {
    const launcher::CommandPreset* preset = launcher::command_preset(way);
    const char* name = preset == nullptr ? "SLURM_JOB_ID" : preset->job_variable;
    if (std::getenv(name) != nullptr) {
      take_way(options, way);
      options.via_note = "--via auto: " + way + ", as " + name + " is set";
      return;
    }
  }
  take_way(options, "ssh");
  options.job_hosts = launcher::pod_hosts(environment_variable);
  options.via_note = "--via auto: ssh, as this is no job of a batch system";
}

void take_via(NodeOptions& options, const std::string& text) {
  options.job_hosts = {};
  options.via_note.clear();
  try {
    if (text == "help") throw CLI::CallForVersion(via_help(), 0);  // Printed by main.
    if (text == "auto") return choose_way(options);
    take_way(options, text);
  } catch (const launcher::Error& error) {
    throw CLI::ValidationError("--via", "\"" + text + "\": " + error.what());
  }
}

// --via: ssh, slurm, local, the name of a preset command, exec:WORDS (see launcher::RemoteCommand), or auto,
// which chooses by the variables of batch systems. `--via help` prints the presets and ends the program with
// status 0.
void add_via(CLI::App& command, NodeOptions& options) {
  add_parsed(
      command, "--via", via_words(),
      "How to reach the nodes: by ssh, by srun inside a Slurm job, all of them on this machine, or by a "
      "command, such as kubectl or 'exec:ip netns exec {host}'; auto chooses, help shows the commands "
      "(default: ssh)",
      [&options](const std::string& text) { take_via(options, text); });
}

std::vector<launcher::Host> hosts_of_job(const NodeOptions& options) {
  return options.reach->has_hosts() ? options.reach->hosts(options)
                                    : launcher::read_job_hosts(options.job_hosts);
}

void add_ssh(CLI::App& command, NodeOptions& options) {
  using launcher::HostKey;
  add_text(command, "--ssh-config", options.ssh.config_file, "FILE", "Instead of ~/.ssh/config");
  add_text(command, "--identity", options.ssh.identity, "FILE", "Private key, the only one to try");
  add_text(command, "--user", options.ssh.user, "NAME", "Login name");
  add_number(command, "--port", options.ssh.port, {1, 65535}, "Port of the nodes' sshd");
  add_choice<HostKey>(command, "--host-key", options.ssh.host_key,
                      {{"strict", HostKey::strict}, {"accept-new", HostKey::accept_new}},
                      "For a host whose key is unknown (default: as the ssh config says, else strict)");
}

}  // namespace

void add_host_list(CLI::App& command, NodeOptions& options) {
  add_text(command, "-H,--hosts", options.hosts, "LIST", "Hosts: node[1-4]:8,gpu9:4, or a hostfile");
  add_text(command, "-x,--exclude", options.exclude, "LIST",
           "Leave these hosts of the list out: node3,gpu[1-2] or @FILE");
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
  add_parsed(command, "--agent", "PATH",
             "Path of adarun-agent on the nodes (default: where adarun itself lies); brought there if "
             "it is missing",
             [&options](const std::string& path) { options.agent = program_on_nodes(path); });
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
  return or_exit(exit_usage, [&] {
    std::vector<launcher::Host> hosts =
        options.hosts.empty() ? hosts_of_job(options) : launcher::read_hosts(options.hosts);
    if (!options.exclude.empty()) hosts = launcher::without(hosts, options.exclude);
    options.reach->require(hosts, options);
    if (const std::string unread = launcher::unread_variable(options.hosts); options.log && !unread.empty())
      options.log->warning(base::clean_line(unread));
    return hosts;
  });
}

std::unique_ptr<launcher::Transport> connect(const NodeOptions& options, const launcher::Targets& targets,
                                             const std::vector<launcher::Host>& hosts,
                                             const base::FileLimit& files) {
  auto loop = std::make_unique<launcher::Loop>(options.link_options(launcher::default_lease), options.log);
  loop->add(options.reach->links(hosts, targets, options, files));
  return loop;
}

std::string path_on_nodes(const std::string& path) {
  if (std::filesystem::path(path).is_absolute()) return path;
  const std::filesystem::path whole = (std::filesystem::current_path() / path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();  // "folder/"
}

std::string program_on_nodes(const std::string& program) {
  return program.find('/') == std::string::npos ? program : path_on_nodes(program);
}

launcher::CardSources sources_on_nodes(launcher::CardSources sources) {
  if (!sources.hccn_conf.empty()) sources.hccn_conf = path_on_nodes(sources.hccn_conf);
  sources.hccn_tool = program_on_nodes(sources.hccn_tool);
  return sources;
}

}  // namespace adarun::cli
