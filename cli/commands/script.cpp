// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/arguments/launch_options.h"
#include "cli/arguments/option_values.h"
#include "cli/arguments/roles.h"
#include "cli/commands/commands.h"
#include "cli/commands/script/script_kinds.h"
#include "cli/console/print.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/table.h"
#include "ranktable/parse.h"
#include "ranktable/write.h"
#include "templates/template.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* script_examples = R"(
For sites where nothing may be installed, or where others start jobs: the same ranks and variables as adarun launch
gives them, in files to read and change. --template takes one of your own, --show-template prints ours.

Examples:
  adarun script node -r hccl_2s_16p.json -o job -- python /share/train.py
  adarun script k8s --hosts node[1-2]:8 --image registry/train:1 -- ./train
  adarun script node --show-template > mine.sh; adarun script node --template mine.sh -r table.json -- ./train

Exit status: 0 done, 1 a refused table, 2 wrong usage, 3 could not do it.)";

struct ScriptOptions {
  LaunchOptions where;
  ScriptJob job;
  std::vector<std::string> roles;  ///< Of --role, as they are typed.
  std::string output;
  std::string template_file;
  bool show_template = false;
};

bool is_label(const std::string& text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= 50 && is_letter(text.front()) && is_letter(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || c == '-'; });
}

// The options that make adarun launch use the same nodes, in the same roles.
std::vector<std::string> words_of(const ScriptOptions& options) {
  const LaunchOptions& where = options.where;
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("-r", where.table_file);
  add("--hosts", where.hosts);
  add("--exclude", where.exclude);
  add("--map", where.map_file);
  for (const std::string& role : options.roles) add("--role", role);
  return words;
}

void write_node_files(const templates::Template& page, const templates::Values& values,
                      const launcher::Placement& placement, const fs::path& folder) {
  std::vector<std::pair<fs::path, std::string>> files{{folder / "rank_table.json", table_text_of(placement)}};
  for (const templates::Values& node : values.lists.at("nodes"))
    files.emplace_back(folder / ("run_node" + node.texts.at("number") + ".sh"),
                       page.render(values_of_node(values, node), script_filters()));
  fs::create_directories(folder);
  for (const auto& [path, text] : files) ranktable::write_file(path, text);
  const std::size_t nodes = files.size() - 1;
  say_written(
      files.front().first.string() + " and " +
      (folder / ("run_node" + (nodes == 1 ? "1" : "[1-" + std::to_string(nodes) + "]") + ".sh")).string());
}

const char* template_of(const ScriptKind& kind, const ScriptJob& job) {
  return kind.choose_template == nullptr ? kind.template_name : kind.choose_template(job);
}

void deliver(const ScriptKind& kind, const ScriptOptions& options, const launcher::Placement& placement,
             const templates::Values& values) {
  const bool own = !options.template_file.empty();
  const char* name = template_of(kind, options.job);
  const std::string text =
      own ? ranktable::read_text(options.template_file) : std::string(templates::built_in(name));
  const templates::Template page(own ? options.template_file : name, text);
  if (kind.is_per_node)
    return write_node_files(page, values, placement, options.output.empty() ? "." : options.output);
  const std::string script = page.render(values, script_filters());
  if (options.output.empty() || options.output == "-") return print_all(script);
  ranktable::write_file(options.output, script);
  say_written(options.output);
}

// Scripts set RANK_TABLE_FILE.
void require_table_of_hccl(const launcher::Placement& placement, const std::string& name) {
  if (placement.whole_table && std::holds_alternative<ranktable::ServerGroupTable>(*placement.whole_table))
    throw ExitError(exit_usage,
                    name +
                        ": a server_group table, which HCCL does not read: adarun ranktable convert "
                        "--group ID --to 1.0 makes one that it does");
}

void check_words(const ScriptKind& kind, const ScriptOptions& options) {
  const std::string name = std::string("script ") + kind.name;
  if (kind.has_program && options.job.program.empty())
    throw ExitError(exit_usage,
                    name + ": says what ranks run behind --: adarun " + name + " -r TABLE -- PROGRAM");
  if (!kind.has_program && !options.job.program.empty())
    throw ExitError(exit_usage, name + ": takes nothing behind --, found " + options.job.program[0]);
  refuse_empty_program(name, options.job.program);
  if (!kind.has_roles && !options.roles.empty())
    throw ExitError(exit_usage, name + ": --role: all its ranks run one program");
  if (!is_label(options.job.name))
    throw ExitError(exit_usage, "--name: " + ranktable::in_quotes(options.job.name) +
                                    ": wanted at most 50 lower-case letters, digits and - between them");
}

void check_policies(const ScriptKind& kind, const std::vector<launcher::Role>& roles) {
  for (const launcher::Role& role : roles)
    if (!kind.runs_launch && role.policy != launcher::RolePolicy{})
      throw ExitError(exit_usage,
                      std::string("script ") + kind.name + ": --role " + role.name +
                          ": background, optional and restarts are only for scripts that run adarun "
                          "launch: sbatch, pbs, lsf and flux");
}

// No nodes if the site chooses them.
launcher::Placement placement_of(const ScriptKind& kind, ScriptOptions& options) {
  const ScriptJob& job = options.job;
  LaunchOptions where = options.where;
  if (kind.choose_hosts != nullptr && job.node_count > 0) where.hosts = kind.choose_hosts(job);
  const bool counted = job.node_count > 0 && where.hosts.empty();
  launcher::Placement placement = counted ? launcher::Placement{} : place(where);
  const auto ranks = static_cast<std::size_t>(job.node_count) * static_cast<std::size_t>(job.tasks_per_node);
  or_exit(exit_usage, [&] {
    launcher::require_roles_fit(job.roles, counted ? ranks : ranktable::device_count(placement.table));
  });
  return placement;
}

void run_script(const ScriptKind& kind, ScriptOptions& options, const Invocation& invocation) {
  if (options.show_template) return print_all(templates::built_in(template_of(kind, options.job)));
  options.job.program = invocation.trailing;
  check_words(kind, options);
  options.job.roles = read_roles(options.roles, options.job.program);
  check_policies(kind, options.job.roles);
  options.job.where = words_of(options);
  const launcher::Placement placement = placement_of(kind, options);
  require_table_of_hccl(placement, std::string("script ") + kind.name + ": " + options.where.table_file);
  templates::Values values = script_values(placement, options.job);
  if (kind.complete != nullptr) kind.complete(values, placement, options.job);
  deliver(kind, options, placement, values);
}

void add_kind(CLI::App& group, const ScriptKind& kind, Invocation& invocation) {
  const auto options = std::make_shared<ScriptOptions>();
  CLI::App* command = group.add_subcommand(kind.name, kind.help);
  add_where(*command, options->where);
  const bool files = kind.is_per_node;
  add_text(*command, "-o,--output", options->output, files ? "DIR" : "FILE",
           files ? "Folder to write them to (default: here)" : "File to write (default: stdout)");
  add_text(*command, "--template", options->template_file, "FILE", "Fill in this one instead of ours");
  command->add_flag("--show-template", options->show_template, "Print our template");
  if (kind.has_program) add_roles(*command, options->roles);
  if (kind.add_options != nullptr) kind.add_options(*command, options->job);
  command->footer(kind.examples);
  command->callback([&kind, options, &invocation] { run_script(kind, *options, invocation); });
}

}  // namespace

void add_script(CLI::App& app, Invocation& invocation) {
  CLI::App* group = app.add_subcommand("script", "Write scripts that start the same ranks without adarun");
  group->require_subcommand(1);
  group->footer(script_examples);
  for (const ScriptKind& kind : script_kinds()) add_kind(*group, kind, invocation);
}

}  // namespace adarun::cli
