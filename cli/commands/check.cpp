// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/clean_text.h"
#include "cli/commands/commands.h"
#include "cli/console/colors.h"
#include "cli/options/launch_options.h"
#include "cli/options/path_on_nodes.h"
#include "cli/options/placement.h"
#include "cli/session/ask_hosts.h"
#include "launcher/hosts/fold.h"
#include "launcher/probe/checks.h"
#include "launcher/probe/preflight.h"

namespace adarun::cli {
namespace {

using launcher::FoldedCheck;
using launcher::Verdict;

constexpr const char* check_help = R"(
Asks all nodes at once, starts nothing there, and puts equal answers together. Behind -- stands the program
that is to be found.

Examples:
  adarun check --hosts node[1-8]:8
  adarun check -r hccl_8s_64p.json --map hosts.txt -- ./train
  adarun check --hosts @cluster --json

Exit status: 0 nothing is wrong (there may be warnings), 1 something is, 2 wrong usage, 3 could not do it.)";

struct CheckOptions {
  LaunchOptions launch;
  bool json = false;
};

// The sshds a node should reach: those of node 0, where the ranks rendezvous, and of the next node.
std::vector<std::string> peers_of(std::size_t node, const std::vector<std::string>& sshds) {
  std::vector<std::string> peers;
  for (const std::size_t other : {std::size_t{0}, (node + 1) % sshds.size()}) {
    const std::string& peer = sshds[other];
    const bool is_new = std::find(peers.begin(), peers.end(), peer) == peers.end();
    if (other != node && !peer.empty() && is_new) peers.push_back(peer);
  }
  return peers;
}

bool is_address(const std::string& text) {
  return text.find_first_not_of("0123456789.") == std::string::npos || text.find(':') != std::string::npos;
}

// One check of all nodes, and its options.
class NodeCheck {
 public:
  NodeCheck(const LaunchOptions& options, std::string program)
      : options_(options),
        placement_(place(options)),
        program_(std::move(program)),
        workdir_(path_on_nodes(options.workdir)) {}

  std::vector<FoldedCheck> run() {
    const std::vector<launcher::Host>& hosts = placement_.hosts;
    const launcher::SshTargets targets = locate_each(hosts, options_);
    const std::vector<std::string> sshds = sshds_of(targets, options_);
    std::vector<launcher::Preflight> preflights;
    preflights.reserve(hosts.size());
    for (std::size_t i = 0; i < hosts.size(); ++i)
      preflights.emplace_back(
          launcher::PreflightOptions{workdir_, program_, {"/dev/shm", "/tmp"}, peers_of(i, sshds)});
    std::vector<launcher::NodeProbe*> probes;
    probes.reserve(preflights.size());
    for (launcher::Preflight& each : preflights) probes.push_back(&each);
    const std::vector<std::string> reasons = ask_hosts(hosts, targets, options_, probes).reasons;
    std::vector<std::string> names;
    std::vector<std::vector<launcher::Check>> checks;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      names.push_back(hosts[i].name);
      checks.push_back(reasons[i].empty() ? launcher::checks_of(preflights[i].facts(), wants_of(i))
                                          : launcher::checks_of_lost(reasons[i]));
    }
    return launcher::fold_checks(names, std::move(checks));
  }

  std::size_t nodes() const { return placement_.hosts.size(); }

 private:
  launcher::Wants wants_of(std::size_t node) const {
    const ranktable::Server& server = placement_.table.servers[node];
    const bool has_address = !options_.table_file.empty() && is_address(server.server_id);
    return {server.devices.size(), has_address ? server.server_id : "", program_, workdir_};
  }

  const LaunchOptions& options_;
  JobPlacement placement_;
  std::string program_;
  std::string workdir_;
};

AnsiStyle style_of(Verdict verdict) {
  return verdict == Verdict::good       ? AnsiStyle::green
         : verdict == Verdict::doubtful ? AnsiStyle::yellow
                                        : AnsiStyle::red;
}

void print_row(const FoldedCheck& row, std::size_t nodes, const AnsiColors& paint) {
  constexpr std::size_t verdict_width = 8;
  std::string verdict = name_of(row.check.verdict);
  verdict.resize(std::max(verdict.size(), verdict_width), ' ');
  const std::string where = row.nodes.size() == nodes ? "all nodes" : launcher::fold_names(row.nodes);
  std::printf("%s %-15s %s: %s", paint(style_of(row.check.verdict), verdict).c_str(),
              row.check.subject.c_str(), where.c_str(), base::clean_line(row.check.found).c_str());
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

int run_check(const CheckOptions& options, const Invocation& invocation) {
  NodeCheck check(options.launch, invocation.trailing.empty() ? "" : invocation.trailing.front());
  const std::vector<FoldedCheck> rows = check.run();
  const auto count = [&rows](Verdict verdict) {
    return std::count_if(rows.begin(), rows.end(),
                         [verdict](const FoldedCheck& row) { return row.check.verdict == verdict; });
  };
  if (options.json) {
    std::printf("%s\n", base::escape_controls(
                            json_of(rows).dump(2, ' ', false, nlohmann::json::error_handler_t::replace))
                            .c_str());
  } else {
    for (const FoldedCheck& row : rows) print_row(row, check.nodes(), AnsiColors(invocation.color));
    std::printf("%zu nodes: %td wrong, %td warnings\n", check.nodes(), count(Verdict::wrong),
                count(Verdict::doubtful));
  }
  return count(Verdict::wrong) == 0 ? exit_done : exit_no;
}

}  // namespace

void add_check(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Look at all nodes before a job: what it needs, and what differs");
  add_where(*command, options->launch);
  options->launch.log = &invocation.log;
  add_node_options(*command, options->launch);
  command
      ->add_option("--workdir", options->launch.workdir,
                   "Folder the ranks would start in (default: this one; a relative DIR is below it)")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "An array with one object per finding");
  command->footer(check_help);
  command->callback([options, &invocation] { invocation.exit_status = run_check(*options, invocation); });
}

}  // namespace adarun::cli
