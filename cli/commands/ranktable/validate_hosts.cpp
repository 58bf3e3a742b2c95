// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/ranktable/validate_hosts.h"

#include <CLI/CLI.hpp>
#include <array>
#include <deque>
#include <map>

#include "cli/arguments/command.h"
#include "cli/arguments/node_options.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/ranktable/ranktable.h"
#include "cli/view/ask_hosts.h"
#include "launcher/hosts/name_ranges.h"
#include "launcher/probe/table_probe.h"
#include "ranktable/parse.h"

namespace adarun::cli {
namespace {

using ranktable::Finding;
using ranktable::Severity;

launcher::HeldTable held_table(const CheckedTable& checked, const HostsCheck& check) {
  const auto* table = std::get_if<ranktable::Table>(&checked.report.table);
  if (table == nullptr)
    throw Quit(exit_usage,
               checked.file +
                   ": --hosts takes tables of version 1.0 and 1.2; make it one: adarun ranktable convert "
                   "--to 1.0");
  const std::string place = path_on_nodes(check.path.empty() ? checked.file : check.path);
  return {ranktable::read_text(checked.file), *table, place, sources_on_nodes(check.sources)};
}

// Findings of all nodes; equal ones are merged, with the names of their nodes.
class NodeFindings {
 public:
  void add(const Finding& finding, const std::string& node) {
    const auto [place, is_new] =
        places_.try_emplace({finding.path, finding.rule, finding.found}, found_.size());
    if (is_new) found_.push_back({finding, {}});
    found_[place->second].nodes.push_back(node);
  }

  void append_to(std::vector<Finding>& findings) const {
    for (const auto& [finding, nodes] : found_) {
      Finding& named = findings.emplace_back(finding);
      named.found = launcher::fold_names(nodes) + ": " + finding.found;
    }
  }

 private:
  struct SharedFinding {
    Finding finding;
    std::vector<std::string> nodes;
  };
  std::vector<SharedFinding> found_;
  std::map<std::array<std::string, 3>, std::size_t> places_;  ///< Index, by path, rule and `found`.
};

// Adds findings for servers that match no host, or several.
void match_servers(const launcher::HeldTable& held, const std::vector<launcher::Host>& hosts,
                   const std::deque<launcher::TableProbe>& probes, std::vector<Finding>& findings) {
  std::vector<std::vector<std::string>> claims(held.table.servers.size());
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if (const auto server = probes[i].server()) claims[*server].push_back(hosts[i].name);
  for (std::size_t server = 0; server < claims.size(); ++server) {
    if (claims[server].size() == 1) continue;
    Finding& finding = findings.emplace_back();
    finding.path = "$.server_list[" + std::to_string(server) + "].server_id";
    finding.rule = "a server must be one of the hosts";
    finding.found = '"' + held.table.servers[server].server_id + '"' +
                    (claims[server].empty() ? ", which none of them is"
                                            : ", which " + launcher::fold_names(claims[server]) + " all are");
    finding.mend = "write an address or the name of the server, or name it in --hosts";
  }
}

}  // namespace

void add_hosts_check(CLI::App& command, HostsCheck& check) {
  add_host_list(command, check.nodes);
  command
      .add_option("--path", check.path,
                  "With --hosts: where the nodes have the file (default: where it is here)")
      ->type_name("FILE")
      ->needs("--hosts");
  command.add_option("--hccn-conf", check.sources.hccn_conf, "With --hosts: instead of /etc/hccn.conf")
      ->type_name("FILE")
      ->needs("--hosts");
  command.add_option("--hccn-tool", check.sources.hccn_tool, "With --hosts: instead of hccn_tool")
      ->type_name("PROGRAM")
      ->needs("--hosts");
  command
      .add_flag_callback(
          "--vnic", [&check] { check.sources.nic = launcher::Nic::virtual_; },
          "With --hosts: the table has the addresses of virtual NICs, as gen --vnic writes them")
      ->needs("--hosts");
  add_duration(command, "--tool-timeout", check.sources.deadline,
               "With --hosts: what hccn_tool may take for all cards of a server (default: 30s)");
  command.get_option("--tool-timeout")->needs("--hosts");
  add_options_of_hosts(command, check.nodes);
}

Coverage check_on_hosts(CheckedTable& checked, const HostsCheck& check) {
  if (!checked.report.has_schema) return Coverage::all_nodes;
  const std::vector<launcher::Host> hosts = hosts_in(check.nodes);
  const launcher::HeldTable held = held_table(checked, check);
  std::deque<launcher::TableProbe> probes;
  std::vector<launcher::NodeProbe*> pointers;
  pointers.reserve(hosts.size());
  for (const launcher::Host& host : hosts) pointers.push_back(&probes.emplace_back(held, host.name));
  const AskedHosts asked = ask_hosts(hosts, check.nodes, pointers);
  NodeFindings found;
  bool all = true;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (const Finding& finding : probes[i].findings()) found.add(finding, hosts[i].name);
    if (asked.reasons[i].empty()) continue;
    all = false;
    found.add({Severity::error, "$", "every node must answer", "", asked.reasons[i], ""}, hosts[i].name);
  }
  found.append_to(checked.report.findings);
  if (all) match_servers(held, hosts, probes, checked.report.findings);
  return all ? Coverage::all_nodes : Coverage::not_all;
}

}  // namespace adarun::cli
