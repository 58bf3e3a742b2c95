// SPDX-License-Identifier: Apache-2.0
#include "launcher/links/link_findings.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>

#include "base/median.h"

namespace adarun::launcher {
namespace {

constexpr double slow_node = 0.7;
constexpr double slow_link = 0.5;
constexpr double late_node = 2;
constexpr double least_late_s = 50e-6;

// A figure of each node; none if it was not measured.
using Figures = std::vector<std::optional<double>>;

std::string with_digits(const char* format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// `others`: the median of the other nodes' figures.
struct Compared {
  std::size_t node = 0;
  double own = 0;
  double others = 0;
};

std::vector<Compared> compare(const Figures& figures) {
  std::vector<Compared> all;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    std::vector<double> others;
    for (std::size_t j = 0; j < figures.size(); ++j) {
      if (j != i && figures[j]) others.push_back(*figures[j]);
    }
    if (figures[i] && !others.empty()) all.push_back({i, *figures[i], base::median(others)});
  }
  return all;
}

// Of each node the median of its links, of which it is one end.
Figures figures_of_links(const LinkReport& report, std::size_t MeasuredLink::*node,
                         double LinkCosts::*value) {
  std::vector<std::vector<double>> values(report.speeds.size());
  for (const MeasuredLink& link : report.links) {
    if (link.reason.empty()) values[link.*node].push_back(link.costs.*value);
  }
  Figures figures(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].empty()) figures[i] = base::median(values[i]);
  }
  return figures;
}

// What is found so far, and the names of all nodes.
struct Findings {
  const std::vector<std::string>& nodes;
  std::vector<LinkFinding> all = {};

  void add_slow(const Figures& figures, const std::string& does,
                const std::function<std::string(double)>& describe) {
    for (const auto& [node, own, others] : compare(figures)) {
      if (own < slow_node * others)
        all.push_back(
            {Verdict::doubtful,
             {nodes[node]},
             does + " at " + with_digits("%.2f", own / others) + " of the others' rate: " + describe(own)});
    }
  }

  void add_late(const Figures& figures) {
    for (const auto& [node, own, others] : compare(figures)) {
      if (own > late_node * others && own > others + least_late_s)
        all.push_back({Verdict::doubtful,
                       {nodes[node]},
                       "its messages take " + with_digits("%.1f", own / others) +
                           " times as long as the others': " + describe_latency(own)});
    }
  }
};

// Nodes that failed, then links, those with the same reason together.
void add_failures(Findings& findings, const LinkReport& report) {
  const std::vector<std::string>& nodes = findings.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!report.reasons[i].empty()) findings.all.push_back({Verdict::wrong, {nodes[i]}, report.reasons[i]});
  }
  std::map<std::string, std::vector<std::string>> failed;
  for (const MeasuredLink& link : report.links) {
    if (!link.reason.empty() && link.from < link.to)
      failed["the link to " + nodes[link.to] + ": " + link.reason].push_back(nodes[link.from]);
  }
  for (auto& [text, from] : failed) findings.all.push_back({Verdict::wrong, std::move(from), text});
}

void add_level(std::vector<LevelCosts>& levels, const std::string& name,
               const std::vector<LinkCosts>& links) {
  if (links.empty()) return;
  std::vector<double> messages;
  std::vector<double> rates;
  for (const LinkCosts& link : links) {
    messages.push_back(link.message_s);
    rates.push_back(link.bytes_per_s);
  }
  levels.push_back({name, links.size(), {base::median(messages), base::median(rates)}});
}

}  // namespace

std::vector<LevelCosts> levels_of(const LinkReport& report, const std::vector<std::size_t>& pods) {
  std::vector<LinkCosts> of_node;
  std::vector<LinkCosts> of_pod;
  std::vector<LinkCosts> of_cluster;
  for (const auto& speed : report.speeds) {
    if (speed) of_node.push_back(speed->numa_nodes.value_or(speed->cores));
  }
  for (const MeasuredLink& link : report.links) {
    const bool in_pod = !pods.empty() && pods.at(link.from) == pods.at(link.to);
    if (link.reason.empty()) (in_pod ? of_pod : of_cluster).push_back(link.costs);
  }
  std::vector<LevelCosts> levels;
  add_level(levels, "node", of_node);
  add_level(levels, "pod", of_pod);
  add_level(levels, "cluster", of_cluster);
  return levels;
}

std::string describe_link_rate(double bytes_per_s) {
  const double gigabits = bytes_per_s * 8 / 1e9;
  return with_digits(gigabits < 10 ? "%.2f Gbit/s" : "%.1f Gbit/s", gigabits);
}

std::string describe_latency(double seconds) {
  const double us = seconds * 1e6;
  if (us >= 10'000) return with_digits("%.1f ms", us / 1e3);
  return with_digits(us < 10 ? "%.1f us" : "%.0f us", us);
}

std::vector<LinkFinding> findings_of(const LinkReport& report, const std::vector<std::string>& nodes) {
  Findings findings{nodes};
  add_failures(findings, report);
  const Figures sent = figures_of_links(report, &MeasuredLink::from, &LinkCosts::bytes_per_s);
  const Figures received = figures_of_links(report, &MeasuredLink::to, &LinkCosts::bytes_per_s);
  findings.add_slow(sent, "sends", describe_link_rate);
  findings.add_slow(received, "receives", describe_link_rate);
  findings.add_late(figures_of_links(report, &MeasuredLink::from, &LinkCosts::message_s));
  for (const MeasuredLink& link : report.links) {
    if (!link.reason.empty()) continue;
    const double usual = std::min(*sent[link.from], *received[link.to]);
    const double rate = link.costs.bytes_per_s;
    if (rate < slow_link * usual)
      findings.all.push_back({Verdict::doubtful,
                              {nodes[link.from]},
                              "sends to " + nodes[link.to] + " at " + with_digits("%.2f", rate / usual) +
                                  " of what both reach with others: " + describe_link_rate(rate)});
  }
  Figures copies(nodes.size());
  Figures operations(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!report.speeds[i]) continue;
    copies[i] = report.speeds[i]->copied_bytes_per_s;
    operations[i] = report.speeds[i]->operations_per_s;
  }
  findings.add_slow(copies, "copies memory",
                    [](double value) { return with_digits("%.1f GB/s", value / 1e9); });
  findings.add_slow(operations, "computes",
                    [](double value) { return with_digits("%.1f GFLOP/s a rank", value / 1e9); });
  return std::move(findings.all);
}

}  // namespace adarun::launcher
