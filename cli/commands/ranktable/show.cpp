// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/describe.h"
#include "cli/commands/ranktable/ranktable.h"
#include "cli/console/print.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/model/table.h"
#include "ranktable/parse.h"

namespace adarun::cli {
namespace {

using Json = nlohmann::ordered_json;
using ranktable::Row;

constexpr const char* show_examples = R"(
A line for each rank; node is the position of its server in the table, from 0. Of a cloud table the ranks are
those that HCCL gives it; of a server_group table they count through its groups, and group_rank is the one in the
group.

Examples:
  adarun ranktable show hccl_2s_16p.json
  adarun ranktable show --tree super_pods.json
  adarun ranktable show --json job.json | jq '.ranks[] | select(.node == 1) | .rank'

Exit status: 0 done, 2 wrong usage, 3 could not do it.)";

struct ShowOptions {
  std::string file;
  bool tree = false;
  bool json = false;
};

// A table prepared for display.
struct ShownTable {
  std::string file;
  std::string schema;
  ranktable::Table table;
  std::vector<Row> rows = {};
  std::vector<ranktable::ServerGroup> groups = {};  ///< Empty: not a server_group table.
  std::vector<ranktable::GroupRank> places = {};    ///< Of each rank, if there are groups.

  /// Of the rank, if there are groups; else null.
  const ranktable::GroupRank* place_of(const Row& row) const {
    return places.empty() ? nullptr : &places[static_cast<std::size_t>(row.rank)];
  }
};

ShownTable read(const std::string& file) {
  const ranktable::AnyTable any = ranktable::read_any(file);
  ShownTable shown{file, std::string(name(schema_of(any))),
                   about(file, [&] { return ranktable::ranks_of(any); })};
  shown.rows = ranktable::rows(shown.table);
  if (const auto* groups = std::get_if<ranktable::ServerGroupTable>(&any)) {
    shown.groups = groups->groups;
    shown.places = group_ranks_of(*groups);
  }
  return shown;
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : ranktable::printable(text);
}

// Of a group that has no rank.
std::string line_of(const ranktable::ServerGroup& group) {
  std::string text = "group " + ranktable::printable(group.group_id) + ":";
  for (const auto& server : group.servers) text += " " + ranktable::printable(server.server_ip);
  return text + (group.servers.empty() ? " no servers\n" : ", no devices\n");
}

std::string table_heading(const ShownTable& shown) {
  std::string text = shown.file + ": " + shown.schema + ", " +
                     base::counted(shown.table.servers.size(), "server") + ", " +
                     base::counted(shown.rows.size(), "device");
  if (!shown.table.super_pods.empty())
    text += ", " + base::counted(shown.table.super_pods.size(), "super pod");
  if (shown.table.status != "completed") text += ", status " + ranktable::in_quotes(shown.table.status);
  text += "\n";
  for (const ranktable::ServerGroup& group : shown.groups)
    if (device_count(group) == 0) text += line_of(group);
  return text;
}

std::string as_table(const ShownTable& shown) {
  const bool pods = std::any_of(shown.rows.begin(), shown.rows.end(), [](const Row& row) {
    return !row.super_pod_id.empty() || !row.super_device_id.empty();
  });
  std::vector<std::vector<std::string>> lines = {{"rank", "node", "server", "device", "address"}};
  if (pods) lines[0].insert(lines[0].end(), {"super_pod", "super_device"});
  if (!shown.places.empty()) lines[0].insert(lines[0].end(), {"group", "group_rank"});
  for (const Row& row : shown.rows) {
    lines.push_back({std::to_string(row.rank), std::to_string(row.node), ranktable::printable(row.server_id),
                     std::to_string(row.device_id), or_dash(row.device_ip)});
    if (pods)
      lines.back().insert(lines.back().end(), {or_dash(row.super_pod_id), or_dash(row.super_device_id)});
    if (const auto* place = shown.place_of(row))
      lines.back().insert(lines.back().end(),
                          {ranktable::printable(place->group_id), std::to_string(place->rank)});
  }
  return columns(lines);
}

std::string server_text(const ShownTable& shown, std::size_t node, const std::vector<const Row*>& rows,
                        const std::string& indent) {
  std::vector<std::vector<std::string>> lines;
  for (const Row* row : rows) {
    lines.push_back({indent + "  rank", std::to_string(row->rank), "device", std::to_string(row->device_id),
                     ranktable::printable(row->device_ip)});
    if (const auto* place = shown.place_of(*row))
      lines.back().insert(lines.back().end(), {"group", ranktable::printable(place->group_id)});
  }
  return indent + "server " + ranktable::printable(shown.table.servers[node].server_id) + " (node " +
         std::to_string(node) + ")\n" + columns(lines);
}

std::string as_tree(const ShownTable& shown) {
  const std::vector<ranktable::Server>& servers = shown.table.servers;
  std::vector<std::vector<const Row*>> rows(servers.size());
  for (const Row& row : shown.rows) rows[row.node].push_back(&row);
  std::map<std::string, std::size_t> nodes;  // Those that are not in the text yet.
  for (std::size_t node = 0; node < servers.size(); ++node) nodes.emplace(servers[node].server_id, node);
  std::string text;
  for (const ranktable::SuperPod& pod : shown.table.super_pods) {
    text += "super pod " + ranktable::printable(pod.super_pod_id) + "\n";
    for (const ranktable::SuperPodMember& member : pod.servers)
      if (const auto node = nodes.extract(member.server_id))
        text += server_text(shown, node.mapped(), rows[node.mapped()], "  ");
  }
  for (std::size_t node = 0; node < servers.size(); ++node)
    if (nodes.contains(servers[node].server_id)) text += server_text(shown, node, rows[node], "");
  return text;
}

Json show_json(const ShownTable& shown) {
  Json ranks = Json::array();
  for (const Row& row : shown.rows) {
    Json rank = {{"rank", row.rank},           {"node", row.node},
                 {"server_id", row.server_id}, {"local_rank", row.local_rank},
                 {"device_id", row.device_id}, {"device_ip", row.device_ip}};
    if (!row.super_pod_id.empty()) rank["super_pod_id"] = row.super_pod_id;
    if (!row.super_device_id.empty()) rank["super_device_id"] = row.super_device_id;
    if (const auto* place = shown.place_of(row)) {
      rank["group_id"] = place->group_id;
      rank["group_rank"] = place->rank;
    }
    ranks.push_back(std::move(rank));
  }
  Json json = {{"file", shown.file},           {"schema", shown.schema},
               {"status", shown.table.status}, {"servers", shown.table.servers.size()},
               {"devices", shown.rows.size()}, {"ranks", std::move(ranks)}};
  for (const ranktable::ServerGroup& group : shown.groups) {
    Json servers = Json::array();
    for (const auto& server : group.servers) servers.push_back(server.server_ip);
    json["groups"].push_back(
        {{"group_id", group.group_id}, {"servers", std::move(servers)}, {"devices", device_count(group)}});
  }
  return json;
}

void run_show(const ShowOptions& options) {
  const ShownTable shown = read(options.file);
  if (options.json)
    print_all(json_text(show_json(shown)));
  else
    print_all(table_heading(shown) + (options.tree ? as_tree(shown) : as_table(shown)));
}

}  // namespace

void add_ranktable_show(CLI::App& group, Invocation&) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App* command = group.add_subcommand("show", "Show where each rank of a table runs");
  command->add_option("file", options->file, "A rank table of any schema")->required()->type_name("FILE");
  CLI::Option* tree = command->add_flag("--tree", options->tree, "By super pod and server");
  command->add_flag("--json", options->json, "Print a JSON object")->excludes(tree);
  command->footer(show_examples);
  command->callback([options] { run_show(*options); });
}

}  // namespace adarun::cli
