// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/via_option.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/hosts/job_hosts.h"
#include "launcher/transport/command/command_reach.h"
#include "launcher/transport/local/local_reach.h"
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

const char* variable(const char* name) {
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
    options.reach =
        launcher::command_reach(launcher::parse_remote_command(preset->name, preset->line, variable), preset);
    if (preset->job_hosts != nullptr) options.job_hosts = preset->job_hosts(variable);
  } else if (text.starts_with(exec_prefix)) {
    options.reach = launcher::command_reach(
        launcher::parse_remote_command("exec", text.substr(exec_prefix.size()), variable));
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
  options.job_hosts = launcher::pod_hosts(variable);
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

}  // namespace

void add_via(CLI::App& command, NodeOptions& options) {
  command
      .add_option_function<std::string>(
          "--via", [&options](const std::string& text) { take_via(options, text); },
          "How to reach the nodes: by ssh, by srun inside a Slurm job, all of them on this machine, or by a "
          "command, such as kubectl or 'exec:ip netns exec {host}'; auto chooses, help shows the commands "
          "(default: ssh)")
      ->type_name(via_words());
}

}  // namespace adarun::cli
