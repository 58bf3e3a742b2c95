// SPDX-License-Identifier: Apache-2.0
#include "cli/options/via_option.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

#include "launcher/base/error.h"
#include "launcher/transport/command/command_presets.h"

namespace adarun::cli {
namespace {

constexpr std::string_view exec_prefix = "exec:";

std::string via_words() {
  std::string words = "ssh|slurm|local";
  for (const launcher::CommandPreset& preset : launcher::command_presets())
    words += std::string("|") + preset.name;
  return words + "|exec:WORDS|help";
}

std::string via_help() {
  return "ssh: adarun's own SSH client\n"
         "slurm: srun, inside a Slurm job\n"
         "local: all nodes are this machine\n" +
         launcher::presets_text() +
         "exec:WORDS: any command that passes stdin and stdout on to a program there. {host} stands for the "
         "node, "
         "{user} and {port} for those of the host list, {command} for the program as one quoted text; "
         "without "
         "{command} the program follows as words. See docs/transports.md.";
}

launcher::RemoteCommand command_in(const std::string& text, const std::string& name,
                                   const std::string& line) {
  try {
    return launcher::parse_remote_command(name, line,
                                          [](const char* variable) { return std::getenv(variable); });
  } catch (const launcher::Error& error) {
    throw CLI::ValidationError("--via", "\"" + text + "\": " + error.what());
  }
}

void take_via(NodeOptions& options, const std::string& text) {
  options.command = {};
  options.via = Via::command;
  if (text == "ssh" || text == "slurm" || text == "local") {
    options.via = text == "ssh" ? Via::ssh : text == "slurm" ? Via::slurm : Via::local;
  } else if (text == "help") {
    throw CLI::CallForVersion(via_help(), 0);  // Printed by main.
  } else if (const launcher::CommandPreset* preset = launcher::command_preset(text)) {
    options.command = command_in(text, preset->name, preset->line);
  } else if (text.starts_with(exec_prefix)) {
    options.command = command_in(text, "exec", text.substr(exec_prefix.size()));
  } else {
    throw CLI::ValidationError("--via", "\"" + text + "\": wanted " + via_words());
  }
}

}  // namespace

void add_via(CLI::App& command, NodeOptions& options) {
  command
      .add_option_function<std::string>(
          "--via", [&options](const std::string& text) { take_via(options, text); },
          "How to reach the nodes: by ssh, by srun inside a Slurm job, all of them on this machine, or by a "
          "command, "
          "such as kubectl or 'exec:ip netns exec {host}'; help shows the commands (default: ssh)")
      ->type_name(via_words());
}

}  // namespace adarun::cli
