// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check/link_text.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/arguments/command.h"
#include "cli/console/columns.h"
#include "trainer/planner/json/links_json.h"

namespace adarun::cli {
namespace {

using launcher::LinkCosts;
using nlohmann::ordered_json;

constexpr std::size_t most_shown_nodes = 16;

std::string with_digits(const char* format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string gigabytes(double bytes_per_s) {
  return with_digits("%.1f GB/s", bytes_per_s / 1e9);
}

std::string matrix(const CheckedLinks& links) {
  std::vector<std::vector<std::string>> rows{{"from"}};
  for (const std::string& name : links.names) {
    rows.front().push_back(name);
    rows.push_back({name});
  }
  for (std::size_t i = 1; i < rows.size(); ++i) rows[i].resize(rows.front().size(), "-");
  for (const launcher::MeasuredLink& link : links.report.links)
    rows[link.from + 1][link.to + 1] =
        link.reason.empty() ? with_digits("%.2f", link.costs.bytes_per_s * 8 / 1e9) : "fails";
  return "Gbit/s to\n" + columns(rows);
}

std::string speeds(const CheckedLinks& links) {
  std::vector<std::vector<std::string>> rows{
      {"node", "copies", "computes, a rank", "between cores", "", "NUMA nodes", ""}};
  const auto add_costs = [](std::vector<std::string>& row, const std::optional<LinkCosts>& costs) {
    row.push_back(costs ? launcher::describe_latency(costs->message_s) : "");
    row.push_back(costs ? gigabytes(costs->bytes_per_s) : "");
  };
  for (std::size_t i = 0; i < links.names.size(); ++i) {
    const auto& speed = links.report.speeds[i];
    if (!speed) continue;
    std::vector<std::string> row{links.names[i], gigabytes(speed->copied_bytes_per_s),
                                 with_digits("%.1f GFLOP/s", speed->operations_per_s / 1e9)};
    add_costs(row, speed->cores);
    add_costs(row, speed->numa_nodes);
    rows.push_back(std::move(row));
  }
  return columns(rows);
}

std::string levels(const CheckedLinks& links) {
  std::vector<std::vector<std::string>> rows{{"within a", "measured", "message", "rate"}};
  for (const launcher::LevelCosts& level : links.levels)
    rows.push_back({level.name, std::to_string(level.links),
                    launcher::describe_latency(level.costs.message_s),
                    level.name == "node" ? gigabytes(level.costs.bytes_per_s)
                                         : launcher::describe_link_rate(level.costs.bytes_per_s)});
  return columns(rows);
}

ordered_json json_of(const LinkCosts& costs) {
  return {{"message_s", costs.message_s}, {"bytes_per_s", costs.bytes_per_s}};
}

ordered_json json_of_node(const CheckedLinks& links, std::size_t node) {
  ordered_json json{{"name", links.names[node]}, {"address", links.addresses[node]}};
  if (!links.report.reasons[node].empty()) json["reason"] = links.report.reasons[node];
  const auto& speed = links.report.speeds[node];
  if (!speed) return json;
  json["copied_bytes_per_s"] = speed->copied_bytes_per_s;
  json["operations_per_s"] = speed->operations_per_s;
  json["cores"] = json_of(speed->cores);
  if (speed->numa_nodes) json["numa_nodes"] = json_of(*speed->numa_nodes);
  return json;
}

ordered_json json_of_link(const CheckedLinks& links, const launcher::MeasuredLink& link) {
  ordered_json json{{"from", links.names[link.from]}, {"to", links.names[link.to]}};
  if (link.reason.empty())
    json.update(json_of(link.costs));
  else
    json["reason"] = link.reason;
  return json;
}

}  // namespace

std::string links_text(const CheckedLinks& links) {
  const bool is_small = links.names.size() <= most_shown_nodes;
  if (is_small)
    return (links.report.links.empty() ? "" : matrix(links) + '\n') + speeds(links) + '\n' + levels(links);
  return levels(links) + "each link of " + std::to_string(links.names.size()) +
         " nodes: --plot FILE.svg, --json\n";
}

std::string links_json(const CheckedLinks& links) {
  ordered_json json{{"schema", "adarun-check-links-1"},
                    {"nodes", ordered_json::array()},
                    {"links", ordered_json::array()},
                    {"levels", ordered_json::array()},
                    {"findings", ordered_json::array()}};
  for (std::size_t i = 0; i < links.names.size(); ++i) json["nodes"].push_back(json_of_node(links, i));
  for (const launcher::MeasuredLink& link : links.report.links)
    json["links"].push_back(json_of_link(links, link));
  for (const launcher::LevelCosts& level : links.levels) {
    ordered_json of_level{{"name", level.name}, {"links", level.links}};
    of_level.update(json_of(level.costs));
    json["levels"].push_back(std::move(of_level));
  }
  for (const launcher::LinkFinding& finding : links.findings)
    json["findings"].push_back(
        {{"verdict", name_of(finding.verdict)}, {"nodes", finding.nodes}, {"text", finding.text}});
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string links_file(const CheckedLinks& links) {
  const bool lacks_links =
      links.names.size() > 1 && (links.levels.empty() || links.levels.back().name == "node");
  if (links.levels.empty() || lacks_links)
    throw Quit(exit_failed, "no link was measured, so there are no costs to write");
  planner::MeasuredLinks measured;
  for (const launcher::LevelCosts& level : links.levels)
    measured.levels.push_back(
        {level.name, level.costs.message_s, 1 / level.costs.bytes_per_s, level.name != "node"});
  return planner::write_links(measured);
}

}  // namespace adarun::cli
