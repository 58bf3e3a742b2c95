// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check/links.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/random_digits.h"
#include "cli/arguments/command.h"
#include "cli/arguments/placement.h"
#include "cli/commands/check/node_checks.h"
#include "cli/console/print.h"
#include "cli/view/ask_hosts.h"
#include "trainer/planner/json/links_json.h"

namespace adarun::cli {
namespace {

// At which the other nodes reach a node: as the table says, else as its name resolves.
std::string address_of(const LaunchOptions& options, const launcher::Placement& placement,
                       const launcher::Targets& targets, std::size_t node) {
  if (options.reach->is_local()) return "127.0.0.1";
  const std::string in_table = table_address(options, placement, node);
  return in_table.empty() ? targets.addresses[node] : in_table;
}

// The super pod of each node; empty: the table has none.
std::vector<std::size_t> pods_of(const ranktable::Table& table) {
  if (table.super_pods.empty()) return {};
  std::vector<std::size_t> pods(table.servers.size(), table.super_pods.size());
  for (std::size_t pod = 0; pod < table.super_pods.size(); ++pod) {
    for (const ranktable::SuperPodMember& member : table.super_pods[pod].servers) {
      for (std::size_t i = 0; i < pods.size(); ++i) {
        if (table.servers[i].server_id == member.server_id) pods[i] = pod;
      }
    }
  }
  return pods;
}

std::string progress_line(const launcher::LinkMeasurement& measurement,
                          const launcher::ProbeProgress& progress) {
  return "adarun: measuring: " + progress_bar(measurement.step(), measurement.steps()) + " " +
         std::to_string(progress.connected) + " of " + base::counted(progress.nodes, "node") +
         " connected, step " + std::to_string(measurement.step()) + " of " +
         std::to_string(measurement.steps());
}

using launcher::LinkCosts;
using nlohmann::ordered_json;

constexpr std::size_t most_shown_nodes = 16;

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

namespace plot = monitor::plot;

constexpr double margin = 16;
constexpr double names_width = 96;
constexpr double title_height = 56;
constexpr double most_side = 52;    // Of a square, in pixels.
constexpr double whole_side = 832;  // Of all squares, at most.
constexpr double least_side_of_text = 26;
constexpr double least_side_of_name = 9;
constexpr std::size_t most_name = 14;

constexpr plot::Color black{33, 33, 33};
constexpr plot::Color white{255, 255, 255};
constexpr plot::Color none{236, 236, 236};
constexpr plot::Color failed{200, 40, 40};

// From nearly white for 0 to dark blue for 1.
plot::Color shade(double part) {
  const auto between = [part](double light, double dark) {
    return static_cast<std::uint8_t>(light + (dark - light) * part);
  };
  return {between(235, 8), between(243, 48), between(251, 107)};
}

std::string gigabits(double bytes_per_s) {
  return with_digits(bytes_per_s * 8 < 1e10 ? "%.2f" : "%.0f", bytes_per_s * 8 / 1e9);
}

std::string shortened(const std::string& name) {
  const std::string clean = base::clean_line(name);
  return clean.size() <= most_name ? clean : ".." + clean.substr(clean.size() - most_name + 2);
}

class LinkPicture {
 public:
  explicit LinkPicture(const CheckedLinks& links)
      : links_(links),
        nodes_(static_cast<double>(links.names.size())),
        side_(std::min(most_side, whole_side / std::max(1.0, nodes_))) {
    for (const launcher::MeasuredLink& link : links.report.links)
      fastest_ = std::max(fastest_, link.costs.bytes_per_s);
  }

  plot::Scene draw() {
    const double whole = side_ * nodes_;
    scene_.width = static_cast<int>(std::max(480.0, names_width + whole + 2 * margin));
    scene_.height = static_cast<int>(title_height + whole + 2 * margin + 20);
    text({margin, margin + 12}, "Links: Gbit/s from the node of a line to that of a column", black, 14);
    text({margin, margin + 30}, "white: 0; dark blue: " + gigabits(fastest_) + "; red: not measured", black,
         12);
    for (std::size_t i = 0; i < links_.names.size(); ++i) {
      square(i, i, none);
      name(i);
    }
    for (const launcher::MeasuredLink& link : links_.report.links) draw(link);
    return std::move(scene_);
  }

 private:
  plot::PixelPoint corner(std::size_t from, std::size_t to) const {
    return {margin + names_width + side_ * static_cast<double>(to),
            title_height + margin + side_ * static_cast<double>(from)};
  }

  void square(std::size_t from, std::size_t to, const plot::Color& color) {
    const auto [x, y] = corner(from, to);
    const double end = side_ - (side_ > 4 ? 1 : 0);
    scene_.shapes.emplace_back(plot::Area{{{x, y}, {x + end, y}, {x + end, y + end}, {x, y + end}}, color});
  }

  void text(plot::PixelPoint at, const std::string& words, const plot::Color& color, double size,
            plot::Align align = plot::Align::left) {
    scene_.shapes.emplace_back(plot::TextLabel{at, words, color, size, align});
  }

  void name(std::size_t node) {
    if (side_ < least_side_of_name) return;
    const auto [x, y] = corner(node, node);
    const double size = std::min(12.0, side_);
    text({margin + names_width - 6, y + side_ / 2 + size / 3},
         std::to_string(node + 1) + ' ' + shortened(links_.names[node]), black, size, plot::Align::right);
    text({x + side_ / 2, title_height + margin + side_ * nodes_ + 14}, std::to_string(node + 1), black,
         std::min(12.0, side_ * 0.6), plot::Align::centre);
  }

  void draw(const launcher::MeasuredLink& link) {
    const double part = fastest_ > 0 ? link.costs.bytes_per_s / fastest_ : 0;
    square(link.from, link.to, link.reason.empty() ? shade(part) : failed);
    if (side_ < least_side_of_text || !link.reason.empty()) return;
    const auto [x, y] = corner(link.from, link.to);
    text({x + side_ / 2, y + side_ / 2 + 4}, gigabits(link.costs.bytes_per_s), part > 0.5 ? white : black, 11,
         plot::Align::centre);
  }

  const CheckedLinks& links_;
  double nodes_;
  double side_;
  double fastest_ = 0;
  plot::Scene scene_;
};

}  // namespace

CheckedLinks check_links(const LaunchOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const launcher::Placement placement = place(options, [](std::vector<launcher::Host>&) {});
  const std::vector<launcher::Host>& hosts = placement.hosts;
  const launcher::Targets targets = options.reach->locate(hosts, options);
  CheckedLinks checked;
  std::vector<launcher::LinkNode> nodes;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    checked.names.push_back(hosts[i].name);
    checked.addresses.push_back(address_of(options, placement, targets, i));
    nodes.push_back({checked.addresses.back(), placement.table.servers[i].devices.size()});
  }
  launcher::LinkMeasurement measurement(std::move(nodes), base::random_digits());
  std::vector<launcher::LinkProbe> link_probes;
  link_probes.reserve(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) link_probes.emplace_back(measurement, i);
  const auto line = [&measurement](const launcher::ProbeProgress& progress) {
    return progress_line(measurement, progress);
  };
  const std::vector<std::string> reasons = ask_hosts(hosts, targets, options, pointers_to(link_probes), line);
  checked.report = measurement.report();
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!reasons[i].empty()) checked.report.reasons[i] = reasons[i];
  }
  std::sort(checked.report.links.begin(), checked.report.links.end(),
            [](const auto& a, const auto& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  checked.levels = launcher::levels_of(checked.report, pods_of(placement.table));
  checked.findings = launcher::findings_of(checked.report, checked.names);
  checked.time =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  return checked;
}

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
  return json_text(json);
}

std::string links_file(const CheckedLinks& links) {
  const bool lacks_links =
      links.names.size() > 1 && (links.levels.empty() || links.levels.back().name == "node");
  if (links.levels.empty() || lacks_links)
    throw ExitError(exit_failed, "no link was measured, so there are no costs to write");
  planner::MeasuredLinks measured;
  for (const launcher::LevelCosts& level : links.levels)
    measured.levels.push_back(
        {level.name, level.costs.message_s, 1 / level.costs.bytes_per_s, level.name != "node"});
  return planner::write_links(measured);
}

plot::Scene link_picture(const CheckedLinks& links) {
  return LinkPicture(links).draw();
}

}  // namespace adarun::cli
