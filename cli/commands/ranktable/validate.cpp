// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/arguments/command.h"
#include "cli/arguments/node_options.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/ranktable/ranktable.h"
#include "cli/console/print.h"
#include "cli/view/ask_hosts.h"
#include "launcher/hosts/name_ranges.h"
#include "launcher/probe/card_sources.h"
#include "launcher/probe/table_probe.h"
#include "ranktable/model/error.h"
#include "ranktable/parse.h"
#include "ranktable/validate.h"

namespace adarun::cli {
namespace {

using ranktable::Finding;
using ranktable::Generation;
using ranktable::Profile;
using ranktable::Severity;

constexpr const char* validate_examples = R"(
Reports everything that is wrong, with its JSON path, HCCL's error code and how to mend it. Takes every schema:
1.0, 1.2, 2.0, cloud, lab and server_group.

Examples:
  adarun ranktable validate hccl_2s_16p.json
  adarun ranktable validate --profile hccl --generation 910 hccl_*.json
  adarun ranktable validate --profile adasum hccl_2s_16p.json
  adarun ranktable validate hccl_2s_16p.json --hosts node[1-2] --path /job/rank_table.json
  adarun ranktable validate --json hccl_2s_16p.json | jq -r '.[].findings[].path'

Exit status: 0 all valid, 1 one is not, 2 wrong usage, 3 a file cannot be read or a node asked.)";

struct ValidateCommandOptions {
  std::vector<std::string> files;
  ranktable::ValidateOptions rules;
  NodeOptions nodes;  ///< To check a table against; no --hosts: none.
  std::string path;   ///< Of the table on the nodes; empty: the same as here.
  launcher::CardSources sources;
  bool json = false;
  bool quiet = false;
};

// Result of checking one file.
struct CheckedTable {
  std::string file;
  ranktable::ValidationReport report = {};
  std::string error = {};  ///< Why it could not be read; empty: it was read.

  bool is_read() const { return error.empty(); }
  bool is_valid() const { return is_read() && ranktable::is_valid(report.findings); }
};

constexpr std::size_t shown_of_a_rule = 3;

// Findings of one rule: the first few, and how many there are.
struct FindingGroup {
  std::vector<const Finding*> shown;
  std::size_t count = 0;
};

// Errors first, otherwise in the order of their first finding.
std::vector<FindingGroup> groups_of(const std::vector<Finding>& findings, bool errors_only) {
  using Key = std::tuple<Severity, std::string_view, std::string_view>;
  std::vector<FindingGroup> groups;
  std::map<Key, std::size_t> places;
  for (const Finding& finding : findings) {
    if (errors_only && finding.severity != Severity::error) continue;
    // Not std::tuple(...): that would copy the strings, and the views would point to the copies.
    const Key key(finding.severity, finding.rule, finding.code);
    const auto [place, is_new] = places.emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    FindingGroup& group = groups[place->second];
    if (++group.count <= shown_of_a_rule) group.shown.push_back(&finding);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const FindingGroup& left, const FindingGroup& right) {
    return left.shown[0]->severity > right.shown[0]->severity;
  });
  return groups;
}

AnsiStyle style_of(Severity severity) {
  if (severity == Severity::note) return AnsiStyle::cyan;
  return severity == Severity::warning ? AnsiStyle::yellow : AnsiStyle::bold_red;
}

std::string verdict(const CheckedTable& checked, const AnsiColors& paint) {
  const ranktable::AnyTable& table = checked.report.table;
  if (checked.is_valid())
    return paint(AnsiStyle::green, "valid") + ", " + base::counted(server_count(table), "server") + ", " +
           base::counted(device_count(table), "device");
  const auto count = [&checked](Severity severity) {
    const std::vector<Finding>& findings = checked.report.findings;
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(),
                      [severity](const Finding& each) { return each.severity == severity; }));
  };
  return paint(AnsiStyle::bold_red, "not valid") + ", " + base::counted(count(Severity::error), "error") +
         ", " + base::counted(count(Severity::warning), "warning");
}

// The report as text: a line for the file, then its findings, errors first, each with how to fix it. Of many
// findings of one rule, only the first ones and their number are shown. Requires a table that was read.
std::string as_text(const CheckedTable& checked, bool is_quiet, const AnsiColors& paint) {
  if (is_quiet && checked.is_valid()) return "";
  std::string text = paint(AnsiStyle::bold, checked.file) + ": " + verdict(checked, paint) + "\n";
  for (const FindingGroup& group : groups_of(checked.report.findings, is_quiet)) {
    const Finding& first = *group.shown.front();
    for (const Finding* finding : group.shown)
      text += "  " + paint(style_of(finding->severity), name(finding->severity)) + ": " +
              base::clean_line(describe(*finding)) + "\n";
    if (group.count > group.shown.size())
      text += "    and " + base::grouped(group.count - group.shown.size()) + " more like it\n";
    if (!first.mend.empty()) text += "    to mend: " + first.mend + "\n";
  }
  return text;
}

using Json = nlohmann::ordered_json;

// Values may contain bytes of a file that are not UTF-8.
std::string dump(const Json& json) {
  return base::escape_controls(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// One finding per line: a table of 65,536 ranks may have as many findings.
std::string as_line(const ranktable::Finding& finding) {
  return dump({{"severity", name(finding.severity)},
               {"path", finding.path},
               {"rule", finding.rule},
               {"code", finding.code},
               {"found", finding.found},
               {"mend", finding.mend}});
}

std::string member(const char* key, const Json& value) {
  return "    " + dump(key) + ": " + dump(value);
}

// The report as JSON: the object described by docs/validate.schema.json, indented as a list item.
std::string as_json(const CheckedTable& checked) {
  const std::string head =
      "  {\n" + member("file", checked.file) + ",\n" + member("valid", checked.is_valid()) + ",\n";
  if (!checked.is_read()) return head + member("error", checked.error) + "\n  }";
  const ranktable::AnyTable& table = checked.report.table;
  const Json schema = checked.report.has_schema ? Json(ranktable::name(schema_of(table))) : Json();
  std::string text = head + member("schema", schema) + ",\n" + member("servers", server_count(table)) +
                     ",\n" + member("devices", device_count(table)) + ",\n    \"findings\": [";
  const char* separator = "\n      ";
  for (const ranktable::Finding& finding : checked.report.findings) {
    text += separator + as_line(finding);
    separator = ",\n      ";
  }
  return text + (checked.report.findings.empty() ? "]\n  }" : "\n    ]\n  }");
}

launcher::ReferenceTable held_table(const CheckedTable& checked, const ValidateCommandOptions& options) {
  const auto* table = std::get_if<ranktable::Table>(&checked.report.table);
  if (table == nullptr)
    throw ExitError(
        exit_usage,
        checked.file +
            ": --hosts takes tables of version 1.0 and 1.2; make it one: adarun ranktable convert "
            "--to 1.0");
  const std::string place = path_on_nodes(options.path.empty() ? checked.file : options.path);
  return {ranktable::read_text(checked.file), *table, place, sources_on_nodes(options.sources)};
}

// Adds findings of nodes to those of a table; equal ones are one, with the names of their nodes.
void append_folded(std::vector<Finding>& findings,
                   const std::vector<std::pair<std::string, Finding>>& by_node) {
  std::map<std::array<std::string, 3>, std::size_t> places;  // Of path, rule and `found`.
  std::vector<std::vector<std::string>> nodes;
  const std::size_t first = findings.size();
  for (const auto& [node, finding] : by_node) {
    const auto [place, is_new] =
        places.try_emplace({finding.path, finding.rule, finding.found}, nodes.size());
    if (is_new) {
      findings.push_back(finding);
      nodes.emplace_back();
    }
    nodes[place->second].push_back(node);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::string& found = findings[first + i].found;
    found = launcher::fold_names(nodes[i]) + ": " + found;
  }
}

// Adds findings for servers that match no host, or several.
void match_servers(const launcher::ReferenceTable& held, const std::vector<launcher::Host>& hosts,
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

// Adds --hosts and its related options.
void add_hosts_check(CLI::App& command, ValidateCommandOptions& options) {
  add_host_list(command, options.nodes);
  add_text(command, "--path", options.path, "FILE",
           "With --hosts: where the nodes have the file (default: where it is here)")
      ->needs("--hosts");
  add_text(command, "--hccn-conf", options.sources.hccn_conf, "FILE",
           "With --hosts: instead of /etc/hccn.conf")
      ->needs("--hosts");
  add_text(command, "--hccn-tool", options.sources.hccn_tool, "PROGRAM", "With --hosts: instead of hccn_tool")
      ->needs("--hosts");
  command
      .add_flag_callback(
          "--vnic", [&options] { options.sources.nic = launcher::Nic::virtual_; },
          "With --hosts: the table has the addresses of virtual NICs, as gen --vnic writes them")
      ->needs("--hosts");
  add_duration(command, "--tool-timeout", options.sources.deadline,
               "With --hosts: what hccn_tool may take for all cards of a server (default: 30s)");
  command.get_option("--tool-timeout")->needs("--hosts");
  add_options_of_hosts(command, options.nodes);
}

// Adds what is wrong on the nodes to the findings of a table that was read; nodes with the same finding
// share one. If the text has no known schema, the nodes are not queried. Returns whether all nodes that were
// queried have answered. Throws ExitError for a table of another schema than 1.0 and 1.2.
bool check_on_hosts(CheckedTable& checked, const ValidateCommandOptions& options) {
  if (!checked.report.has_schema) return true;
  const std::vector<launcher::Host> hosts = hosts_in(options.nodes);
  const launcher::ReferenceTable held = held_table(checked, options);
  std::deque<launcher::TableProbe> probes;
  for (const launcher::Host& host : hosts) probes.emplace_back(held, host.name);
  const launcher::Targets targets = options.nodes.reach->locate(hosts, options.nodes);
  const std::vector<std::string> reasons = ask_hosts(hosts, targets, options.nodes, pointers_to(probes));
  std::vector<std::pair<std::string, Finding>> found;
  bool all = true;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (const Finding& finding : probes[i].findings()) found.emplace_back(hosts[i].name, finding);
    if (reasons[i].empty()) continue;
    all = false;
    found.push_back({hosts[i].name, {Severity::error, "$", "every node must answer", "", reasons[i], ""}});
  }
  append_folded(checked.report.findings, found);
  if (all) match_servers(held, hosts, probes, checked.report.findings);
  return all;
}

CheckedTable check(const std::string& file, const ranktable::ValidateOptions& rules) {
  try {
    return {file, ranktable::validate_file(file, rules)};
  } catch (const ranktable::Error& error) {
    return {file, {}, error.what()};
  }
}

// Number of files by result.
struct Tally {
  std::size_t valid = 0;
  std::size_t not_valid = 0;
  std::size_t not_read = 0;
  bool have_all_answered = true;  ///< The nodes.

  void add(const CheckedTable& checked) {
    ++(!checked.is_read() ? not_read : checked.is_valid() ? valid : not_valid);
  }
  int exit_status() const {
    if (not_read > 0 || !have_all_answered) return exit_failed;
    return not_valid > 0 ? exit_no : exit_done;
  }
  std::string text() const {
    std::string line =
        std::to_string(valid + not_valid + not_read) + " files: " + std::to_string(valid) + " valid";
    if (not_valid > 0) line += ", " + std::to_string(not_valid) + " not valid";
    if (not_read > 0) line += ", " + std::to_string(not_read) + " not read";
    return line + "\n";
  }
};

// If a file is unreadable, the others are still checked.
int run_validate(const ValidateCommandOptions& options, bool color) {
  if (!options.nodes.hosts.empty() && options.files.size() > 1)
    throw ExitError(exit_usage, "ranktable validate: --hosts takes one file at a time");
  Tally tally;
  std::string separator = "[\n";
  for (const std::string& file : options.files) {
    CheckedTable checked = check(file, options.rules);
    if (!options.nodes.hosts.empty() && checked.is_read())
      tally.have_all_answered = check_on_hosts(checked, options);
    tally.add(checked);
    if (!checked.is_read()) std::fprintf(stderr, "adarun: %s\n", base::clean_lines(checked.error).c_str());
    if (options.json)
      print_all(separator + as_json(checked));
    else if (checked.is_read())
      print_all(as_text(checked, options.quiet, AnsiColors(color)));
    separator = ",\n";
  }
  if (options.json) print_all("\n]\n");
  if (!options.json && !options.quiet && options.files.size() > 1) print_all(tally.text());
  return tally.exit_status();
}

}  // namespace

void add_ranktable_validate(CLI::App& group, Invocation& invocation) {
  const auto options = std::make_shared<ValidateCommandOptions>();
  CLI::App* command = group.add_subcommand("validate", "Check rank tables by the rules of HCCL");
  command->add_option("files", options->files, "Rank tables")->required()->type_name("FILE");
  add_choice<Profile>(*command, "--profile", options->rules.profile,
                      {{"hccl", Profile::hccl}, {"adasum", Profile::adasum}},
                      "hccl: HCCL must take it; adasum: its number of devices must suit AdaSum");
  add_choice<Generation>(*command, "--generation", options->rules.generation,
                         {{"910", Generation::ascend910},
                          {"a2", Generation::a2},
                          {"a3", Generation::a3},
                          {"950", Generation::ascend950}},
                         "Hold it to the rules of this generation (default: warn of those of each)");
  options->nodes.log = &invocation.log;
  add_hosts_check(*command, *options);
  command->add_flag("--json", options->json,
                    "Print a JSON array, one object per file (docs/validate.schema.json)");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->footer(validate_examples);
  command->callback(
      [options, &invocation] { invocation.exit_status = run_validate(*options, invocation.color); });
}

}  // namespace adarun::cli
