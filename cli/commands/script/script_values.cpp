// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/script_values.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/clean_text.h"
#include "base/shell_word.h"
#include "cli/arguments/command.h"
#include "cli/arguments/option_values.h"
#include "launcher/plan/rank_environment.h"

namespace adarun::cli {
namespace {

using templates::Values;

/// Variables that scripts set themselves: those that differ by rank, and the path of the table.
bool is_left_to_scripts(const std::string& name) {
  static const std::set<std::string> names{"RANK_TABLE_FILE", "RANK_ID", "DEVICE_ID", "RANK", "LOCAL_RANK"};
  return names.count(name) != 0;
}

std::vector<Values> variables_in(const std::vector<std::string>& assignments) {
  std::vector<Values> variables;
  for (const std::string& each : assignments) {
    const std::string name = each.substr(0, each.find('='));
    if (!is_left_to_scripts(name))
      variables.push_back({{{"name", name}, {"value", each.substr(name.size() + 1)}}, {}});
  }
  return variables;
}

void require_row(const std::vector<launcher::RankEnvironment>& ranks) {
  for (std::size_t i = 1; i < ranks.size(); ++i)
    if (ranks[i].row.rank != ranks[0].row.rank + static_cast<int>(i))
      throw ExitError(
          exit_no, ranks[0].row.server_id + ": its ranks do not follow one another (" +
                       std::to_string(ranks[i - 1].row.rank) + ", then " + std::to_string(ranks[i].row.rank) +
                       "), as scripts count them; adarun launch takes them, or adarun ranktable env");
}

std::vector<Values> ranks_of(const std::vector<launcher::RankEnvironment>& ranks) {
  std::vector<Values> values;
  values.reserve(ranks.size());
  for (const launcher::RankEnvironment& each : ranks)
    values.push_back({{{"rank", std::to_string(each.row.rank)},
                       {"local_rank", std::to_string(each.row.local_rank)},
                       {"device_id", std::to_string(each.row.device_id)}},
                      {}});
  return values;
}

std::string devices_of(const std::vector<launcher::RankEnvironment>& ranks) {
  std::string text;
  for (const launcher::RankEnvironment& each : ranks)
    text += (text.empty() ? "" : " ") + std::to_string(each.row.device_id);
  return text;
}

Values node_values(const launcher::Placement& placement, const launcher::RankEnvironments& environments,
                   std::size_t node) {
  const std::vector<launcher::RankEnvironment> ranks = environments.of_node(node, "");
  require_row(ranks);
  const std::string& id = placement.table.servers[node].server_id;
  const std::string number = std::to_string(node + 1);
  return {{{"node", std::to_string(node)},
           {"number", number},
           {"host", placement.hosts[node].name},
           {"server_id", id},
           {"place", id + ", node " + number + " of " + std::to_string(placement.hosts.size())},
           {"device_count", std::to_string(ranks.size())},
           {"devices", devices_of(ranks)},
           {"rank_start", std::to_string(ranks.front().row.rank)}},
          {{"variables", variables_in(ranks.front().variables)},
           {"defaults", variables_in(ranks.front().defaults)},
           {"ranks", ranks_of(ranks)}}};
}

// Quotes as JSON, which YAML reads as well; bytes that are not UTF-8, invalid in both, are replaced. Some
// characters that JSON leaves as they are must be escaped, because YAML refuses them or takes them as line
// ends; not all non-ASCII ones, because YAML has no \u surrogate pairs.
std::string quoted(const std::string& text) {
  return base::escape_controls(
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// As a block of YAML below a key that is indented by two blanks, for people to read; as `quoted` where a
// block would not hold it.
std::string block(const std::string& text) {
  const auto is_plain = [](unsigned char c) { return c == '\n' || (c >= ' ' && c < 0x7F); };
  if (text.empty() || text.front() == ' ' || text.front() == '\n' || text.ends_with("\n\n") ||
      !std::all_of(text.begin(), text.end(), is_plain))
    return quoted(text);
  std::string lines = text.back() == '\n' ? "|" : "|-";
  std::istringstream rest(text);
  for (std::string line; std::getline(rest, line);) lines += line.empty() ? "\n" : "\n    " + line;
  return lines;
}

// For use within a comment line: without line ends and other control characters.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
  return text;
}

const launcher::Role& role_of(const std::vector<launcher::Role>& roles, std::uint32_t rank) {
  return *std::find_if(roles.begin(), roles.end(), [rank](const launcher::Role& role) {
    return std::binary_search(role.ranks.begin(), role.ranks.end(), rank);
  });
}

}  // namespace

Values script_values(const launcher::Placement& placement, const ScriptJob& job) {
  const bool counted = placement.hosts.empty();
  const std::size_t nodes = counted ? static_cast<std::size_t>(job.node_count) : placement.hosts.size();
  const std::size_t ranks =
      counted ? nodes * static_cast<std::size_t>(job.tasks_per_node) : device_count(placement.table);
  const std::string program = shell_words(job.program);
  Values values{
      {{"name", job.name},
       {"image", job.images.empty() ? std::string() : job.images.front()},
       {"program", program.substr(program.empty() ? 0 : 1)},
       {"table_file", job.table_file},
       {"master",
        counted ? "" : placement.table.servers[launcher::server_of_first_rank(placement.table)].server_id},
       {"master_port", std::to_string(job.master_port)},
       {"node_count", std::to_string(nodes)},
       {"world_size", std::to_string(ranks)}},
      {{"nodes", {}}}};
  add_programs(values, job.roles);
  if (counted) return values;
  const launcher::RankEnvironments environments(placement.table);
  for (std::size_t node = 0; node < placement.hosts.size(); ++node)
    values.lists["nodes"].push_back(node_values(placement, environments, node));
  for (Values& node : values.lists["nodes"]) add_role_variables(node.lists["ranks"], job.roles);
  return values;
}

void add_site_nodes(CLI::App& command, ScriptJob& job, const std::string& nodes_help,
                    const std::string& ranks_help) {
  CLI::Option* nodes = add_number(command, "--nodes", job.node_count, {1, 65536}, nodes_help);
  nodes->excludes("--hosts")->excludes("--rank-table")->excludes("--exclude");
  add_number(command, "--ntasks-per-node", job.tasks_per_node, {1, 65536}, ranks_help)->needs(nodes);
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + base::readable_word(word);
  return text;
}

std::string one_line_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + base::one_line_word(word);
  return text;
}

const templates::Filters& script_filters() {
  static const templates::Filters filters{
      {"word", base::readable_word}, {"text", quoted}, {"block", block}, {"line", one_line}};
  return filters;
}

void add_programs(Values& values, const std::vector<launcher::Role>& roles) {
  std::vector<Values>& own = values.lists["roles"];
  values.lists["one_program"] = std::vector<Values>(roles.empty() ? 1 : 0);
  values.lists["any_role"] = std::vector<Values>(roles.empty() ? 0 : 1);
  if (!roles.empty()) values.texts.erase("program");
  for (const launcher::Role& role : roles)
    own.push_back({{{"role", role.name}, {"program", shell_words(role.argv).substr(1)}}, {}});
}

void add_role_variables(std::vector<Values>& ranks, const std::vector<launcher::Role>& roles) {
  for (Values& each : ranks) {
    std::string& variables = each.texts["role_variables"];
    if (roles.empty()) continue;
    const auto rank = static_cast<std::uint32_t>(std::stoul(each.texts.at("rank")));
    variables = shell_words(launcher::role_variables(role_of(roles, rank), rank));
  }
}

}  // namespace adarun::cli
