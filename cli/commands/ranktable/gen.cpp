// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/clean_text.h"
#include "cli/arguments/node_options.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/ranktable/ranktable.h"
#include "cli/console/print.h"
#include "cli/view/ask_hosts.h"
#include "launcher/hosts/host_words.h"
#include "launcher/probe/card_sources.h"
#include "launcher/transport/ssh/resolve.h"
#include "ranktable/model/address.h"
#include "ranktable/operations/gen.h"
#include "ranktable/operations/merge.h"
#include "ranktable/schemas/server_group/schema.h"
#include "ranktable/validate.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

using launcher::Nic;
using ranktable::MergeInput;
using ranktable::Order;
using ranktable::Rings;

// What to use as server_id in the table of a cluster.
enum class ServerId { address, name };

struct GenCommand {
  ranktable::GenOptions table;
  std::optional<int> devices_per_node;
  bool plain = false;
  bool compare = false;
  launcher::CardSources cards;
  NodeOptions nodes;
  ranktable::Order order = ranktable::Order::given;
  std::optional<ServerId> server_id;  ///< Nothing: the address; with `plain`, the name.
  GroupOptions groups;
  TableOutput output;
  std::vector<std::string> warnings;
};

launcher::Resolved resolved(const char* name, int family) {
  constexpr std::chrono::seconds deadline{10};
  return launcher::resolve_all({{name, 0, family}}, deadline).front();
}

// The IPv4 address that this machine's host name resolves to, as in the reference generator, else its first
// IPv6 address. Throws std::runtime_error.
std::string own_address() {
  std::array<char, 257> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0)
    throw std::runtime_error("this server's host name cannot be read: give --server-ip ADDRESS");
  launcher::Resolved found = resolved(name.data(), AF_INET);
  if (found.addresses.empty()) {
    const std::string reason = found.reason;
    found = resolved(name.data(), AF_INET6);
    if (found.addresses.empty())
      throw std::runtime_error(reason + " (it is this server's own): give --server-ip ADDRESS");
  }
  const std::string address = found.addresses.front().text();
  const auto parsed = ranktable::parse_address(address);
  return parsed ? ranktable::canonical(*parsed) : address;
}

// As MindIE writes it.
constexpr const char* name_of_groups = "global_ranktable.json";

constexpr const char* gen_examples = R"help(
Writes hccl_<devices>p_<logical ids>_<server>.json into the current folder and prints its name; of several hosts,
hccl_<servers>s_<devices>p.json. Card addresses come from hccn_tool, or from /etc/hccn.conf where the tool is not
there. A table is written when every card of every host has its address, and else not. With --role it is a
server_group table, for prefill and decode servers, and is named global_ranktable.json.

Examples:
  adarun ranktable gen
  adarun ranktable gen --device-num "[0,4)" --server-ip 10.0.0.2
  adarun ranktable gen --devices 0,2,4,6 -o -
  adarun ranktable gen --hosts node[1-4]:8 --order numeric
  adarun ranktable gen --hosts node[1-4] --compare
  adarun ranktable gen --plain --hosts node[1-2]:8
  adarun ranktable gen --hosts node[1-2]:8 --role prefill=0-7 --role decode=8-15 --router 10.0.0.9

Exit status: 0 done, 1 --compare found a difference, 2 wrong usage, 3 could not do it.)help";

// Adds an option that takes a text; what ranktable refuses is wrong usage.
template <typename Take>
void add_checked(CLI::App& command, const std::string& names, const std::string& help, Take take) {
  const auto checked = [names, take](const std::string& text) {
    try {
      take(text);
    } catch (const ranktable::Error& error) {
      throw CLI::ValidationError(names.substr(0, names.find(',')), error.what());
    }
  };
  add_parsed(command, names, "TEXT", help, checked);
}

void add_devices(CLI::App& command, GenCommand& options) {
  add_checked(command, "--device-num,--device_num",
              "Logical devices, half-open; ranks are numbered from 0 (default: [0,8))",
              [&options](const std::string& text) {
                ranktable::ParsedRange parsed = ranktable::parse_device_range(text);
                options.table.devices = parsed.range;
                if (parsed.warning) options.warnings.push_back(*parsed.warning);
              });
  add_checked(command, "--visible-devices,--visible_devices",
              "Physical ids, in the order of the logical ones (default: the same)",
              [&options](const std::string& text) {
                options.table.visible_devices = ranktable::parse_visible_devices(text);
              });
  add_checked(command, "--devices", "Physical ids, one rank each in this order, instead of both of these",
              [&options](const std::string& text) {
                options.table.listed = ranktable::parse_device_list(text, "devices");
              });
  add_number(command, "--device-num-per-node,--device_num_per_node", options.devices_per_node,
             {1, ranktable::max_server_devices},
             "How many devices a server has, such as 16: all of them, unless others are asked for");
  add_text(command, "--server-ip,--server_ip", options.table.server_id, "IP",
           "This server's id in the table (default: the address its name resolves to)");
  add_choice<Rings>(command, "--generation", options.table.rings,
                    {{"910", Rings::of_four}, {"a2", Rings::none}, {"a3", Rings::none}},
                    "a2 and a3 lift the rule that devices must not cross rings of four");
  for (const char* other : {"--device-num", "--visible-devices"})
    command.get_option("--devices")->excludes(command.get_option(other));
}

void add_sources(CLI::App& command, GenCommand& options) {
  CLI::Option* plain =
      command.add_flag("--plain", options.plain, "For servers without NPUs: no card addresses");
  CLI::Option* conf = add_text(command, "--hccn-conf,--hccn_conf", options.cards.hccn_conf, "FILE",
                               "Card addresses from this file of the server, not from hccn_tool");
  CLI::Option* tool = add_text(command, "--hccn-tool,--hccn_tool", options.cards.hccn_tool, "PROGRAM",
                               "Card addresses from this program of the server alone");
  CLI::Option* vnic = command.add_flag_callback(
      "--vnic", [&options] { options.cards.nic = Nic::virtual_; },
      "The addresses of the cards' virtual NICs, as tables of A3 super pods have them");
  CLI::Option* compare = command.add_flag("--compare", options.compare,
                                          "Write no table: compare hccn.conf with hccn_tool, card by card");
  add_duration(command, "--tool-timeout", options.cards.deadline,
               "What hccn_tool may take for all cards of a server (default: 30s)");
  for (CLI::Option* card_option : {conf, tool, vnic, compare}) plain->excludes(card_option);
  vnic->excludes(conf)->excludes(compare);
}

void add_hosts(CLI::App& command, GenCommand& options) {
  add_host_list(command, options.nodes);
  add_choice<Order>(command, "--order", options.order,
                    {{"given", Order::given}, {"numeric", Order::numeric}, {"lexical", Order::lexical}},
                    "Order of the hosts, and so of their ranks (default: given)")
      ->needs("--hosts");
  add_choice<ServerId>(command, "--server-id", options.server_id,
                       {{"address", ServerId::address}, {"name", ServerId::name}},
                       "What hosts are called in the table (default: the address they are reached at; with "
                       "--plain the name)")
      ->needs("--hosts");
  add_options_of_hosts(command, options.nodes);
  CLI::Option* hosts = command.get_option("--hosts");
  for (const char* own : {"--device-num", "--visible-devices", "--devices", "--server-ip"})
    hosts->excludes(command.get_option(own));
}

// The cards to ask a host about: those in the host list, or --device-num-per-node of them, else nullopt for
// all that it has.
std::optional<std::vector<int>> cards_of(const launcher::Host& host, const GenCommand& command) {
  if (host.asked_kind && host.asked_kind != launcher::DeviceKind::any &&
      host.asked_kind != launcher::DeviceKind::npu)
    throw ExitError(exit_usage, host.name + ": a rank table with card addresses is of NPUs alone");
  if (host.counted && !host.asked_kind) return host.devices;
  if (command.devices_per_node) return launcher::first_devices(*command.devices_per_node);
  return std::nullopt;
}

// Asks all hosts about their cards, and takes what each says, by its number and address. Returns why a host
// failed, or could not be taken, for require_all.
template <typename Questions, typename Take>
std::vector<std::string> ask_cards(const std::vector<launcher::Host>& hosts, const GenCommand& command,
                                   Questions questions, Take take) {
  std::deque<launcher::CardProbe> probes;
  for (const launcher::Host& host : hosts)
    probes.emplace_back(questions(command.cards, cards_of(host, command)));
  const launcher::Targets targets = command.nodes.reach->locate(hosts, command.nodes);
  std::vector<std::string> reasons = ask_hosts(hosts, targets, command.nodes, pointers_to(probes));
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!reasons[i].empty()) continue;
    try {
      take(i, targets.addresses[i], probes[i].facts());
    } catch (const std::exception& error) {
      reasons[i] = error.what();
    }
  }
  return reasons;
}

// All or nothing: throws if any host fails, and names every host that did.
std::vector<MergeInput> asked_tables(const std::vector<launcher::Host>& hosts, const GenCommand& command) {
  const bool by_name = command.server_id == ServerId::name || command.nodes.reach->is_local();
  std::vector<MergeInput> tables;
  const auto take = [&](std::size_t host, const std::string& address, const launcher::CardFacts& facts) {
    ranktable::GenOptions options = command.table;
    options.listed = facts.cards;
    options.server_id = by_name ? hosts[host].name : address;
    tables.push_back(
        {hosts[host].name, ranktable::generate(options, launcher::addresses(facts, command.cards))});
  };
  require_all(hosts, ask_cards(hosts, command, launcher::questions, take), exit_failed,
              "nothing was written");
  return tables;
}

std::vector<MergeInput> plain_tables(const std::vector<launcher::Host>& hosts, const GenCommand& command) {
  std::vector<MergeInput> tables;
  for (const launcher::Host& host : hosts) {
    if (host.asked_kind)
      throw ExitError(exit_usage, host.name + ":" + launcher::name_of(*host.asked_kind) +
                                      ": --plain connects to nothing; the number of devices is wanted");
    const ranktable::PlainNode nodes[] = {{host.name, cards_of(host, command).value_or(host.devices)}};
    tables.push_back({host.name, ranktable::plain(nodes)});
  }
  return tables;
}

ranktable::AnyTable grouped(const ranktable::Table& table, const GroupOptions& options) {
  if (options.groups.empty()) return table;
  require_groups_fit(options, table);
  return ranktable::group_ranks(table, options.groups, options.router);
}

// Writes the table, or with --role its groups, to -o, or to `file`, or, for groups, global_ranktable.json.
void deliver_generated(const ranktable::Table& table, const GenCommand& command, const std::string& file) {
  const std::string text = ranktable::write(grouped(table, command.groups));
  const std::string name = command.groups.groups.empty() ? file : name_of_groups;
  deliver_table(text, command.output.file.empty() ? name : command.output.file, command.output);
}

// Makes the table of all hosts and writes it. Throws on failure; then nothing is written.
void gen_for_hosts(const GenCommand& command) {
  const std::vector<launcher::Host> hosts = hosts_in(command.nodes);
  const std::vector<MergeInput> tables =
      command.plain ? plain_tables(hosts, command) : asked_tables(hosts, command);
  const ranktable::Table table = ranktable::merge(tables, command.order).table;
  ranktable::require_valid(ranktable::validate(table), "the table of these hosts");
  deliver_generated(table, command, ranktable::merged_name(table));
}

using launcher::ComparedCard;
using ComparedRow = std::array<std::string, 5>;  // Server, card, hccn.conf, hccn_tool, verdict.

void add_rows(std::vector<ComparedRow>& rows, const std::string& server,
              const std::vector<ComparedCard>& cards) {
  const auto shown = [](const std::string& address) { return address.empty() ? "-" : address; };
  for (const ComparedCard& card : cards)
    rows.push_back(
        {server, std::to_string(card.card), shown(card.conf), shown(card.tool),
         name_of(card.agreement) + (card.reason.empty() ? "" : ": " + base::clean_line(card.reason))});
}

// Columns are as wide as needed; the first is left out for a single server.
std::string comparison_text(const std::vector<ComparedRow>& rows, bool with_servers) {
  std::array<std::size_t, 4> widths{};
  for (const ComparedRow& row : rows)
    for (std::size_t column = 0; column < widths.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  std::string text;
  for (const ComparedRow& row : rows) {
    for (std::size_t column = with_servers ? 0 : 1; column < widths.size(); ++column)
      text += row[column] + std::string(widths[column] - row[column].size() + 2, ' ');
    text += row.back() + "\n";
  }
  return text;
}

int print(const std::vector<ComparedRow>& rows, bool with_servers) {
  print_all(comparison_text(rows, with_servers));
  const std::string same = name_of(ComparedCard::Agreement::same);
  return std::all_of(rows.begin() + 1, rows.end(),
                     [&same](const ComparedRow& row) { return row.back() == same; })
             ? exit_done
             : exit_no;
}

// Prints card by card what hccn.conf and hccn_tool report, for this server or for all hosts. Returns
// exit_done if they agree, else exit_no. Throws ExitError if a server cannot be compared.
int compare_cards(const GenCommand& command) {
  std::vector<ComparedRow> rows{{"server", "card", "hccn.conf", "hccn_tool", "verdict"}};
  if (command.nodes.hosts.empty()) {
    launcher::CardProbe probe(
        launcher::comparison_questions(command.cards, ranktable::physical_devices(command.table)));
    ask_here(probe);
    add_rows(rows, "", launcher::compare(probe.facts()));
    return print(rows, false);
  }
  const std::vector<launcher::Host> hosts = hosts_in(command.nodes);
  const auto take = [&](std::size_t host, const std::string&, const launcher::CardFacts& facts) {
    add_rows(rows, hosts[host].name, launcher::compare(facts));
  };
  const std::vector<std::string> reasons = ask_cards(hosts, command, launcher::comparison_questions, take);
  const int status = rows.size() > 1 ? print(rows, true) : exit_done;
  require_all(hosts, reasons, exit_failed, "they are not compared");
  return status;
}

void choose_server_id(GenCommand& options) {
  if (!options.table.server_id.empty()) return;
  options.table.server_id = own_address();
  const std::string& id = options.table.server_id;
  if (id.starts_with("127.") || id == "::1")
    options.warnings.push_back("this server's name resolves to " + id +
                               ", which other servers cannot reach: give --server-ip ADDRESS for a cluster");
}

ranktable::Table table_of_this_server(const GenCommand& options) {
  if (options.plain) return ranktable::generate_plain(options.table);
  launcher::CardProbe probe(launcher::questions(options.cards, ranktable::physical_devices(options.table)));
  ask_here(probe);
  return ranktable::generate(options.table, launcher::addresses(probe.facts(), options.cards));
}

// --device-num-per-node is the default and the upper limit of --device-num.
void choose_devices(GenCommand& options, bool range_given) {
  if (!options.devices_per_node) return;
  const int count = *options.devices_per_node;
  ranktable::DeviceRange& range = options.table.devices;
  if (!range_given) range = {0, count};
  if (range.end > count && options.table.visible_devices.empty())
    throw ExitError(exit_usage, "ranktable gen: device_num " + ranktable::to_string(range) +
                                    ": the server has " + std::to_string(count) +
                                    " devices, as --device-num-per-node says");
}

void require_usable_devices(const GenCommand& options) {
  ranktable::GenOptions table = options.table;
  if (options.plain) table.rings = Rings::none;
  or_exit<ranktable::Error>(
      exit_usage, [&] { return ranktable::physical_devices(table); }, "ranktable gen: ");
}

void gen_for_this_server(GenCommand& options) {
  choose_server_id(options);
  print_warnings(options.warnings, options.output);
  deliver_generated(table_of_this_server(options), options, ranktable::file_name(options.table));
}

int run_gen(GenCommand& options, const CLI::App& command) {
  require_place_of_router(options.groups);
  const bool here = options.nodes.hosts.empty();
  if (here) {
    choose_devices(options, command.count("--device-num") > 0);
    require_usable_devices(options);
  } else {
    options.cards = sources_on_nodes(options.cards);
  }
  if (options.plain && options.server_id == ServerId::address)
    throw ExitError(exit_usage,
                    "ranktable gen: --server-id address: --plain connects to no host, and names them");
  if (options.compare) return compare_cards(options);
  if (!options.cards.hccn_conf.empty() && !options.cards.hccn_tool.empty())
    throw ExitError(exit_usage, "ranktable gen: --hccn-conf and --hccn-tool: take one of them, or --compare");
  if (here)
    gen_for_this_server(options);
  else
    gen_for_hosts(options);
  return exit_done;
}

}  // namespace

void add_ranktable_gen(CLI::App& group, Invocation& invocation) {
  const auto options = std::make_shared<GenCommand>();
  CLI::App* command = group.add_subcommand("gen", "Make the rank table of this server, or of a cluster");
  options->nodes.log = &invocation.log;
  add_devices(*command, *options);
  add_sources(*command, *options);
  add_hosts(*command, *options);
  add_group_options(*command, options->groups);
  add_table_output(*command, options->output);
  for (const char* of_table : {"--role", "--output"})
    command->get_option(of_table)->excludes(command->get_option("--compare"));
  command->footer(gen_examples);
  command->callback(
      [options, command, &invocation] { invocation.exit_status = run_gen(*options, *command); });
}

}  // namespace adarun::cli
