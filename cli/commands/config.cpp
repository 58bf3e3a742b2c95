// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/clean_text.h"
#include "cli/arguments/default_words.h"
#include "cli/arguments/defaults.h"
#include "cli/commands/commands.h"
#include "cli/console/print.h"

namespace adarun::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* config_help = R"(
Defaults come, the first that has one, from: variables ADARUN_<OPTION> (ADARUN_SSH_CONFIG for --ssh-config);
.adarun.json in the current folder; the user's file, ~/.config/adarun/config.json. The command line goes before all.
Files are JSON objects; by "$schema" editors know their keys:
  {"$schema": "file:///usr/share/doc/adarun/docs/config.schema.json",
   "hosts": "@/etc/cluster", "fanout": 32, "train": {"log-dir": "runs"}}

Examples:
  adarun config            what holds here, and from where
  adarun config --json     the same as an array
  adarun config --allow    .adarun.json of this folder, as it is now, may say where jobs with --env or --stage run

Exit status: 0; 2 where a file is wrong; with --allow 1 where there is nothing to allow.)";

std::string values_text(const Default& of) {
  if (of.values.empty()) return "false";
  std::string text;
  for (const std::string& value : of.values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

std::string commands_text(const Default& of) {
  return of.command.empty() ? "launch, train, check" : of.command;
}

/// Variables with names that no option has are other programs' or tests'.
std::vector<Default> known_defaults(const CLI::App& app, base::Log& log) {
  DefaultSources sources = default_sources();
  sources.warn = [&log](const std::string& text) { log.warning(text); };
  std::vector<Default> known = read_defaults(sources);
  require_known(app, known);
  std::erase_if(known, [&app](const Default& each) { return !is_known(app, each); });
  return known;
}

void print_defaults(const std::vector<Default>& defaults) {
  const DefaultSources sources = default_sources();
  for (const auto& file : {sources.folder / ".adarun.json", file_of_user(sources)})
    std::printf("# %s%s\n", base::clean_line(file.string()).c_str(),
                access(file.c_str(), F_OK) == 0 ? "" : " (not there)");
  if (defaults.empty()) return;
  std::vector<std::vector<std::string>> rows{{"OPTION", "VALUE", "OF", "FROM"}};
  for (const Default& each : defaults)
    rows.push_back({"--" + each.option, base::clean_line(values_text(each)), commands_text(each),
                    base::clean_line(each.source)});
  std::fputs(columns(rows).c_str(), stdout);
}

void print_defaults_json(const std::vector<Default>& defaults) {
  ordered_json json = ordered_json::array();
  for (const Default& each : defaults)
    json.push_back({{"option", each.option},
                    {"values", each.values},
                    {"command", each.command},
                    {"source", each.source}});
  std::fputs(json_text(json).c_str(), stdout);
}

// Prints what is allowed, for who has not looked.
void allow_folder(const std::vector<Default>& defaults) {
  const std::vector<Default> places = places_of_folder(defaults);
  if (places.empty()) throw ExitError(exit_no, ".adarun.json: there is none here that sets where a job runs");
  allow_defaults(folder_of_allowed(), places.front().digest, places.front().source);
  std::printf("allowed: %s\n", base::clean_line(places.front().source).c_str());
  for (const Default& each : places)
    std::printf("  --%s %s\n", each.option.c_str(), base::clean_line(values_text(each)).c_str());
}

}  // namespace

void add_config(CLI::App& app, Invocation& invocation) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("config", "Show the defaults of options, and where they come from");
  CLI::Option* as_json = command->add_flag("--json", *json, "As JSON");
  const auto allow = std::make_shared<bool>(false);
  command
      ->add_flag("--allow", *allow,
                 "Allow .adarun.json of this folder, as it is now, to say where jobs with --env, --env-file "
                 "or --stage run")
      ->excludes(as_json);
  command->footer(config_help);
  command->callback([json, allow, &app, &invocation] {
    const std::vector<Default> defaults = known_defaults(app, invocation.log);
    if (*allow) return allow_folder(defaults);
    *json ? print_defaults_json(defaults) : print_defaults(defaults);
  });
}

}  // namespace adarun::cli
