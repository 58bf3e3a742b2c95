// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/arguments/launch_options.h"
#include "cli/arguments/option_values.h"
#include "cli/arguments/roles.h"
#include "cli/commands/check/links.h"
#include "cli/commands/check/node_checks.h"
#include "cli/commands/commands.h"
#include "cli/console/print.h"
#include "launcher/hosts/name_ranges.h"
#include "launcher/probe/checks.h"
#include "monitor/plot/picture.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

using launcher::FoldedCheck;
using launcher::Verdict;

constexpr const char* check_help = R"(
Asks all nodes at once, starts nothing there, and puts equal answers together. Behind -- stands the program
that is to be found.

With --links: measures, instead, what messages between nodes cost (one TCP connection, in rounds of pairs of nodes)
and how fast each node copies and computes, and names those that are slower than the others.

Examples:
  adarun check --hosts node[1-8]:8
  adarun check -r hccl_8s_64p.json --map hosts.txt -- ./train
  adarun check --hosts @cluster --json
  adarun check --hosts node[1-8]:8 --links --plot links.svg
  adarun check -r hccl_8s_64p.json --links -o costs.json

Exit status: 0 nothing is wrong (there may be warnings), 1 something is, 2 wrong usage, 3 could not do it.)";

struct CheckOptions {
  LaunchOptions launch;
  bool json = false;
  bool links = false;
  std::string plot;  // of links
  std::string out;   // costs of links
};

AnsiStyle style_of(Verdict verdict) {
  return verdict == Verdict::good       ? AnsiStyle::green
         : verdict == Verdict::doubtful ? AnsiStyle::yellow
                                        : AnsiStyle::red;
}

std::string verdict_text(Verdict verdict, const AnsiColors& paint) {
  constexpr std::size_t width = 8;
  std::string text = name_of(verdict);
  text.resize(std::max(text.size(), width), ' ');
  return paint(style_of(verdict), text);
}

std::string nodes_text(const std::vector<std::string>& nodes, std::size_t all) {
  return nodes.size() == all ? "all nodes" : launcher::fold_names(nodes);
}

void print_row(const FoldedCheck& row, std::size_t nodes, const AnsiColors& paint) {
  std::printf("%s %-15s %s: %s", verdict_text(row.check.verdict, paint).c_str(), row.check.subject.c_str(),
              nodes_text(row.nodes, nodes).c_str(), base::clean_line(row.check.found).c_str());
  std::printf(row.check.mend.empty() ? "\n" : " (%s)\n", base::clean_line(row.check.mend).c_str());
}

nlohmann::ordered_json json_of(const std::vector<FoldedCheck>& rows) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const FoldedCheck& row : rows)
    json.push_back({{"verdict", name_of(row.check.verdict)},
                    {"subject", row.check.subject},
                    {"found", row.check.found},
                    {"mend", row.check.mend},
                    {"nodes", row.nodes}});
  return json;
}

template <typename Finding, typename VerdictOf>
std::ptrdiff_t count(const std::vector<Finding>& findings, Verdict verdict, const VerdictOf& verdict_of) {
  return std::count_if(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return verdict_of(finding) == verdict; });
}

int run_node_checks(const CheckOptions& options, const Invocation& invocation) {
  refuse_empty_program("check", invocation.trailing);
  // Nodes that a job would ask for their devices are looked at as if they had one.
  const launcher::Placement placement = place(options.launch, [](std::vector<launcher::Host>&) {});
  const std::size_t nodes = placement.hosts.size();
  const std::vector<FoldedCheck> rows =
      check_nodes(options.launch, placement, invocation.trailing.empty() ? "" : invocation.trailing.front());
  const auto verdict_of = [](const FoldedCheck& row) { return row.check.verdict; };
  const std::ptrdiff_t wrong = count(rows, Verdict::wrong, verdict_of);
  if (options.json) {
    std::fputs(json_text(json_of(rows)).c_str(), stdout);
  } else {
    for (const FoldedCheck& row : rows) print_row(row, nodes, AnsiColors(invocation.color));
    std::printf("%s: %td wrong, %td warnings\n", base::counted(nodes, "node").c_str(), wrong,
                count(rows, Verdict::doubtful, verdict_of));
  }
  return wrong == 0 ? exit_done : exit_no;
}

void print_links(const CheckedLinks& links, const AnsiColors& paint) {
  std::printf("%s\n", links_text(links).c_str());
  for (const launcher::LinkFinding& finding : links.findings)
    std::printf("%s %s: %s\n", verdict_text(finding.verdict, paint).c_str(),
                nodes_text(finding.nodes, links.names.size()).c_str(),
                base::clean_line(finding.text).c_str());
}

int run_link_check(const CheckOptions& options, const Invocation& invocation) {
  if (!invocation.trailing.empty())
    throw ExitError(exit_usage, "--links: starts no program, and there is one behind --");
  const CheckedLinks links = check_links(options.launch);
  const auto verdict_of = [](const launcher::LinkFinding& finding) { return finding.verdict; };
  const std::ptrdiff_t wrong = count(links.findings, Verdict::wrong, verdict_of);
  if (options.json) {
    std::fputs(links_json(links).c_str(), stdout);
  } else {
    print_links(links, AnsiColors(invocation.color));
    std::printf("%s, %s in %s: %td wrong, %td warnings\n", base::counted(links.names.size(), "node").c_str(),
                base::counted(links.report.links.size(), "link").c_str(), base::describe(links.time).c_str(),
                wrong, count(links.findings, Verdict::doubtful, verdict_of));
  }
  if (!options.plot.empty()) {
    ranktable::write_file(options.plot, monitor::plot::picture(link_picture(links), options.plot));
    say_written(options.plot);
  }
  if (!options.out.empty()) {
    ranktable::write_file(options.out, links_file(links));
    say_written(options.out);
  }
  return wrong == 0 ? exit_done : exit_no;
}

int run_check(const CheckOptions& options, const Invocation& invocation) {
  if (options.links) return run_link_check(options, invocation);
  for (const auto& [option, value] : {std::pair("--plot", options.plot), std::pair("-o", options.out)})
    if (!value.empty()) throw ExitError(exit_usage, std::string(option) + ": only with --links");
  return run_node_checks(options, invocation);
}

}  // namespace

void add_check(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Look at all nodes before a job: what it needs, and what differs");
  add_where(*command, options->launch);
  options->launch.log = &invocation.log;
  add_node_options(*command, options->launch);
  add_text(*command, "--workdir", options->launch.workdir, "DIR",
           "Folder the ranks would start in (default: this one; a relative DIR is below it)");
  command->add_flag("--json", options->json, "Print the findings, or the links, as JSON");
  command->add_flag("--links", options->links, "Measure links and speed of the nodes instead");
  add_text(*command, "--plot", options->plot, "FILE.svg|FILE.png",
           "Draw the links as a picture (with --links)")
      ->check(CLI::Validator(monitor::plot::picture_problem, ""));
  add_text(*command, "-o,--out", options->out, "FILE",
           "Write the costs of links for adarun plan (with --links)");
  command->footer(check_help);
  command->callback([options, &invocation] { invocation.exit_status = run_check(*options, invocation); });
}

}  // namespace adarun::cli
