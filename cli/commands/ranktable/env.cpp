// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/shell_word.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/ranktable/ranktable.h"
#include "cli/console/print.h"
#include "launcher/plan/rank_environment.h"
#include "ranktable/model/decimal.h"
#include "ranktable/parse.h"
#include "ranktable/validate.h"

namespace adarun::cli {
namespace {

using Json = nlohmann::ordered_json;
using launcher::RankEnvironment;

constexpr const char* env_examples = R"help(
Prints the variables that `adarun launch` would give a rank, for whoever starts it by other means. A variable
that a node may have set otherwise (OMP_NUM_THREADS) keeps its value. MASTER_ADDR is the first server's id;
MASTER_PORT is the same on every node.

Examples:
  eval "$(adarun ranktable env hccl_2s_16p.json --rank 3)"
  adarun ranktable env hccl_2s_16p.json --node 10.0.0.2
  adarun ranktable env hccl_2s_16p.json --node 1 --json

Exit status: 0 done, 2 wrong usage, 3 could not do it.)help";

struct EnvOptions {
  std::string file;
  std::optional<int> rank;
  std::string node;
  bool json = false;
};

std::size_t node_of_rank(const ranktable::Table& table, const EnvOptions& options) {
  for (const ranktable::Row& row : ranktable::rows(table))
    if (row.rank == *options.rank) return row.node;
  throw ranktable::Error(options.file + ": has no rank " + std::to_string(*options.rank) + ", wanted 0 to " +
                         std::to_string(device_count(table) - 1));
}

// By server_id, else by position.
std::size_t node_named(const ranktable::Table& table, const EnvOptions& options) {
  for (std::size_t node = 0; node < table.servers.size(); ++node)
    if (table.servers[node].server_id == options.node) return node;
  const std::optional<int> position = ranktable::parse_decimal(options.node);
  if (position && static_cast<std::size_t>(*position) < table.servers.size())
    return static_cast<std::size_t>(*position);
  throw ranktable::Error(options.file + ": has no node " + options.node + ", wanted a server_id or 0 to " +
                         std::to_string(table.servers.size() - 1));
}

// The requested ranks.
std::vector<RankEnvironment> environments(const EnvOptions& options) {
  const ranktable::AnyTable any = ranktable::read_any(options.file);
  ranktable::require_valid(ranktable::validate(any), options.file);
  const ranktable::Table table = about(options.file, [&] { return ranktable::ranks_of(any); });
  if (table.servers.empty()) throw ranktable::Error(options.file + ": has no devices");
  const std::size_t node = options.rank ? node_of_rank(table, options) : node_named(table, options);
  const std::string file = std::filesystem::absolute(options.file).lexically_normal();
  std::vector<RankEnvironment> wanted;
  for (RankEnvironment& rank :
       launcher::RankEnvironments(table, launcher::table_variable(any)).of_node(node, file)) {
    if (options.rank && rank.row.rank != *options.rank) continue;
    if (std::holds_alternative<ranktable::LabTable>(any))
      rank.variables.push_back("MINDSPORE_HCCL_CONFIG_PATH=" + file);
    wanted.push_back(std::move(rank));
  }
  return wanted;
}

std::pair<std::string, std::string> split(const std::string& variable) {
  const std::size_t equals = variable.find('=');
  return {variable.substr(0, equals), variable.substr(equals + 1)};
}

std::string as_shell(const RankEnvironment& rank) {
  std::string text;
  for (const std::string& variable : rank.variables) {
    const auto [name, value] = split(variable);
    text += "export " + name + "=" + base::shell_word(value) + "\n";
    if (name == launcher::variable_of_groups) text += "unset RANK_TABLE_FILE\n";
  }
  for (const std::string& variable : rank.defaults) {
    const auto [name, value] = split(variable);
    text += "[ -n \"${" + name + "+set}\" ] || export " + name + "=" + base::shell_word(value) + "\n";
  }
  return text;
}

Json variables_json(const std::vector<std::string>& variables) {
  Json json = Json::object();
  for (const std::string& variable : variables) {
    const auto [name, value] = split(variable);
    json[name] = value;
  }
  return json;
}

Json env_json(const RankEnvironment& rank) {
  return {{"rank", rank.row.rank},
          {"node", rank.row.node},
          {"server_id", rank.row.server_id},
          {"device_id", rank.row.device_id},
          {"environment", variables_json(rank.variables)},
          {"defaults", variables_json(rank.defaults)}};
}

void run_env(const EnvOptions& options) {
  if (options.rank.has_value() != options.node.empty())
    throw ExitError(exit_usage, "ranktable env: wanted either --rank or --node");
  Json list = Json::array();
  std::string text;
  for (const RankEnvironment& rank : environments(options)) {
    if (!options.rank)
      text +=
          "# rank " + std::to_string(rank.row.rank) + ", device " + std::to_string(rank.row.device_id) + "\n";
    text += as_shell(rank);
    list.push_back(env_json(rank));
  }
  if (options.json) text = json_text(options.rank ? list.front() : list);
  print_all(text);
}

}  // namespace

void add_ranktable_env(CLI::App& group, Invocation&) {
  const auto options = std::make_shared<EnvOptions>();
  CLI::App* command = group.add_subcommand("env", "Print the variables of a rank");
  command->add_option("file", options->file, "A rank table of any schema")->required()->type_name("FILE");
  add_text(*command, "--rank", options->rank, "N", "Of this rank");
  add_text(*command, "--node", options->node, "NODE",
           "Of every rank of this node: a server_id, or its position from 0");
  command->add_flag("--json", options->json, "Print JSON: an object, with --node an array of them");
  command->footer(env_examples);
  command->callback([options] { run_env(*options); });
}

}  // namespace adarun::cli
